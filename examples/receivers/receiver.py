"""A webhook receiver. Run: WEBHOOK_SECRET=... PORT=8000 python3 receiver.py
Without WEBHOOK_SECRET, requests are not checked. Accepts both formats, standard and classic."""
import hmac
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
# The names exactly as they appear in the header, in lower case.
ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")


def verified(secret, header, body):
    if secret == "":
        return True
    algorithm, _, signature = (header or "").partition("=")
    if signature == "" or algorithm not in ALGORITHMS:
        return False
    expected = hmac.new(secret.encode(), body, algorithm).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


def events_of(delivery):
    if "hook" in delivery:  # in the classic format, all events of a request have one type
        return [{"type": delivery["hook"], "data": data} for data in delivery["data"]]
    return delivery["events"]


class Receiver(BaseHTTPRequestHandler):
    def do_HEAD(self):  # saving the webhook checks the URL with HEAD
        self.answer(200, "")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not verified(SECRET, self.headers.get("X-Service-Signature"), body):
            return self.answer(401, "401 Unauthorized")
        for event in events_of(json.loads(body)):
            # An event may arrive more than once: remember event["data"]["id"].
            print(event["type"], event["data"]["id"], flush=True)
        self.answer(200, "OK")

    def answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    if SECRET == "":
        print("WEBHOOK_SECRET is empty: requests are not checked", file=sys.stderr, flush=True)
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Receiver)
    print("listening on", server.server_port, flush=True)
    server.serve_forever()
