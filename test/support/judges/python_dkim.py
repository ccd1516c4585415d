# Verifies every DKIM signature of the messages on standard input with dkimpy; one JSON object a line in, one list out.
import base64
import json
import sys

import dkim

for line in sys.stdin:
    task = json.loads(line)
    message = base64.b64decode(task["message"])
    records = {name + ".": text.encode() for name, text in task["records"].items()}

    def lookup(name, timeout=5):
        return records.get(name.decode() if isinstance(name, bytes) else name)

    results = []
    for index in range(task["signatures"]):
        try:
            results.append(bool(dkim.DKIM(message).verify(idx=index, dnsfunc=lookup)))
        except dkim.DKIMException as error:
            results.append(str(error))
    print(json.dumps(results), flush=True)
