"""Answers the vectors on standard input: one list of results, in their order."""
import base64
import json
import sys

from postrider.receiver import Receiver

results = []
for vector in json.load(sys.stdin):
    receiver = Receiver(vector["secret"], tolerance=vector["tolerance"])
    body = vector["body"].encode() if "body" in vector else base64.b64decode(vector["body_base64"])
    status, text, delivery = receiver.receive(body, vector["headers"], now=vector["now"])
    events = None if delivery is None else [[event["type"], event["data"]["id"]] for event in delivery["events"]]
    results.append({"status": status, "text": text, "events": events})
json.dump(results, sys.stdout)
