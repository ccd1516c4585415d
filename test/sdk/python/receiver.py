"""A receiver of the SDK as a WSGI application: appends each event to the file EVENTS as a line of JSON. It raises as long as the
file FAILING_FILE is there."""
import json
import os
from wsgiref.simple_server import WSGIRequestHandler, make_server

from postrider.receiver import MemorySeenIds, Receiver


def on_delivery(delivery):
    if os.path.exists(os.environ["FAILING_FILE"]):
        raise RuntimeError("failing on purpose")
    with open(os.environ["EVENTS"], "a") as file:
        for event in delivery["events"]:
            file.write(json.dumps(event) + "\n")


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


receiver = Receiver(os.environ["SECRET"], seen=MemorySeenIds())
with make_server("127.0.0.1", int(os.environ["PORT"]), receiver.wsgi(on_delivery), handler_class=Quiet) as server:
    server.serve_forever()
