"""A receiver of webhooks. Run: SECRET=... PORT=8000 python3 receiver.py
With an empty SECRET the signature is not checked."""
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("SECRET", "")


def believed(secret, header, body):
    if secret == "":
        return True
    algorithm, _, signature = (header or "").partition("=")
    if signature == "":
        return False
    try:
        expected = hmac.new(secret.encode(), body, algorithm).hexdigest()
    except (ValueError, TypeError):  # not an algorithm that HMAC knows
        return False
    return hmac.compare_digest(expected.encode(), signature.encode())


class Receiver(BaseHTTPRequestHandler):
    def do_HEAD(self):  # the service asks whether the address is there
        self.answer(200, "")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not believed(SECRET, self.headers.get("X-Service-Signature"), body):
            return self.answer(401, "401 Unauthorized")
        for event in json.loads(body)["events"]:
            # The same event may come again: remember event["data"]["id"].
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
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Receiver)
    print("listening on", server.server_port, flush=True)
    server.serve_forever()
