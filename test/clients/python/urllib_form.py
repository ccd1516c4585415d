# -*- coding: utf-8 -*-
"""Form posts as programs of Python 2 make them; prints one JSON report (see walk.ts). Under Python 2 its own urllib
writes the body; under Python 3 the function below does, which spells every byte as urllib.urlencode does: letters,
digits and _.- stand for themselves, a space is +, all else (the tilde too) %XX, and truths are True and False."""
import json
import os
import sys
import time

env = os.environ
if sys.version_info[0] == 2:
    from urllib import urlencode
    from urllib2 import Request, urlopen
else:
    from urllib.request import Request, urlopen

    def quote_plus(text):
        def spelled(byte):
            sign = chr(byte)
            if byte < 128 and (sign.isalnum() or sign in "_.-"):
                return sign
            return "+" if sign == " " else "%%%02X" % byte

        return "".join(spelled(byte) for byte in text.encode("utf-8"))

    def urlencode(pairs):
        return "&".join(quote_plus(str(name)) + "=" + quote_plus(str(value)) for name, value in pairs)


if sys.argv[1:] == ["spell"]:
    # How the bytes of the environment's TEXT are spelled, for comparing the two.
    print(urlencode([("a[b]", env["TEXT"]), ("t", True), ("n", 25)]))
    sys.exit()


def flat(value, name=""):
    """Python 2's urlencode knows no nesting; its programs spell the brackets themselves."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return [(name, value)]
    pairs = []
    for key, item in items:
        pairs += flat(item, "%s[%s]" % (name, key) if name else key)
    return pairs


def ask(method, given):
    url = env["BASE_URL"] + "/1.3/?output=json&method=" + method
    pairs = flat(dict({"apikey": env["API_KEY"]}, **given))
    return json.loads(urlopen(Request(url, urlencode(pairs).encode("ascii")), timeout=20).read().decode("utf-8"))


def call(method, **given):
    answer = ask(method, dict((key, native(value)) for key, value in given.items()))
    if isinstance(answer, dict) and "error" in answer:
        raise Exception("%s: %r" % (method, answer))
    return answer


def native(value):
    """Ids come out of JSON as unicode, which Python 2's str() takes as long as they are ASCII."""
    return str(value) if isinstance(value, type(u"")) and sys.version_info[0] == 2 else value


def options(**more):
    return dict(
        {
            "list_id": env["LIST_ONE"],
            "subject": 'Grüße & <Neues> "日本" 50% €',
            "from_email": "editors@example.com",
            "from_name": "Die Redaktion",
            "generate_text": True,
        },
        **more
    )


both = [env["LIST_ONE"], env["LIST_TWO"]]
report = {"templates": call("campaignTemplates")}
cid = report["created"] = call(
    "campaignCreate",
    type="HTML",
    options=options(
        title="First",
        tracking={"opens": False, "html_clicks": False, "text_clicks": True},
        analytics={"google": "spring & sale"},
    ),
    content={"html": '<p>Dear *|FNAME:friend|*,\n<b>größer &amp; "better"</b></p>'},
)
report["fromTemplate"] = call(
    "campaignCreate",
    type="HTML",
    options=options(list_id=both),
    content={"template_id": report["templates"][0]["id"]},
)
report["updated"] = [
    call("campaignUpdate", cid=cid, name="title", value="007"),
    call("campaignUpdate", cid=cid, name="tracking", value={"html_clicks": True}),
    call("campaignUpdate", cid=cid, name="list_id", value=both),
]
report["tested"] = call(
    "campaignSendTest", cid=cid, test_emails=["test1@example.com", "test2@example.com"], send_type="plain"
)
report["scheduled"] = call("campaignSchedule", cid=cid, schedule_time="2099-01-31 09:00:00 +0100")
report["whenScheduled"] = call("campaigns", filters={"campaign_id": cid})
report["unscheduled"] = call("campaignUnschedule", cid=cid)
report["replica"] = call("campaignReplicate", cid=cid)
report["sent"] = call("campaignSendNow", cid=cid)
for _ in range(100):
    report["whenSent"] = call("campaigns", filters={"campaign_id": cid, "type": "HTML"})
    if report["whenSent"][0]["status"] == "sent":
        break
    time.sleep(0.2)
report["pages"] = [call("campaigns", filters={"status": "draft"}, start=page, limit=1) for page in (0, 1)]
report["deleted"] = call("campaignDelete", cid=report["replica"])
report["left"] = call("campaigns")

report["faults"] = []
for method, given in [
    ("campaignDelete", {"cid": "nowhere"}),
    ("campaignSendNow", {"cid": cid}),
    ("campaignSchedule", {"cid": report["fromTemplate"], "schedule_time": "tomorrow"}),
    ("campaigns", {"apikey": "0" * 32}),
]:
    answer = ask(method, given)
    if isinstance(answer, dict) and "error" in answer:
        names = ", ".join(sorted(answer))
        report["faults"].append({"type": names, "code": answer["code"], "message": answer["error"]})
print(json.dumps(report))
