"""All ten methods by Python's xmlrpc.client; prints one JSON report (see walk.ts)."""
import json
import os
import time
import xmlrpc.client

env = os.environ
server = xmlrpc.client.ServerProxy(env["BASE_URL"] + "/xmlrpc")
KEY = {"apikey": env["API_KEY"]}
HTML = '<p>Dear *|FNAME:friend|*,\n<b>größer &amp; "better"</b></p>'
report = {}


def call(method, **given):
    return getattr(server, method)({**KEY, **given})


def options(**more):
    return {
        "list_id": env["LIST_ONE"],
        "subject": 'Grüße & <Neues> "日本" 50% €',
        "from_email": "editors@example.com",
        "from_name": "Die Redaktion",
        "generate_text": True,
        **more,
    }


report["templates"] = call("campaignTemplates")
cid = report["created"] = call(
    "campaignCreate",
    type="HTML",
    options=options(
        title="First",
        tracking={"opens": False, "html_clicks": False, "text_clicks": True},
        analytics={"google": "spring & sale"},
    ),
    content={"html": HTML},
)
report["fromTemplate"] = call(
    "campaignCreate",
    type="HTML",
    options=options(list_id=[env["LIST_ONE"], env["LIST_TWO"]]),
    content={"template_id": report["templates"][0]["id"]},
)
report["updated"] = [
    call("campaignUpdate", cid=cid, name="title", value="007"),
    call("campaignUpdate", cid=cid, name="tracking", value={"html_clicks": True}),
    call("campaignUpdate", cid=cid, name="list_id", value=[env["LIST_ONE"], env["LIST_TWO"]]),
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
    try:
        call(method, **given)
    except xmlrpc.client.Fault as fault:
        report["faults"].append({"type": type(fault).__name__, "code": fault.faultCode, "message": fault.faultString})

# MultiCall gives its results one after another, and raises a Fault at the place of a call that failed.
many = xmlrpc.client.MultiCall(server)
many.campaigns({**KEY, "filters": {"campaign_id": cid}})
many.campaignReplicate({**KEY, "cid": cid})
many.campaignDelete({**KEY, "cid": "nowhere"})
many.campaignTemplates(KEY)
results = many()
report["multicall"] = [results[0][0]["id"], results[1]]
try:
    results[2]
except xmlrpc.client.Fault as fault:
    report["multicall"].append(fault.faultCode)
report["multicall"].append(results[3])
print(json.dumps(report))
