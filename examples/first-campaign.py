"""A first campaign over XML-RPC: a list, three subscribers, a test message, sending, and the inbox."""
import os
import time
import xmlrpc.client

service = xmlrpc.client.ServerProxy(os.environ.get("BASE_URL", "http://127.0.0.1:8080/"))
key = os.environ["API_KEY"]


def call(method, **parameters):
    return getattr(service, method)({"apikey": key, **parameters})


readers = call("listCreate", title="Readers")
for email, name in [("ada@example.com", "Ada"), ("bob@example.com", "Bob"), ("cy@example.com", "Cy")]:
    call("listSubscribe", id=readers, email_address=email, merge_vars={"FNAME": name}, double_optin=False)

campaign = call(
    "campaignCreate",
    type="HTML",
    options={
        "list_id": readers,
        "subject": "Hello *|FNAME:friend|*",
        "from_email": "editors@example.com",
        "from_name": "The editors",
        "generate_text": True,
        "auto_footer": True,
    },
    content={"html": "<h1>Hello *|FNAME:friend|*</h1><p><a href='https://example.com/'>Read the news</a></p>"},
)
call("campaignSendTest", cid=campaign, test_emails=["me@example.com"])
call("campaignSendNow", cid=campaign)
while call("campaignProgress", cid=campaign)["delivery_status"] != "sent":
    time.sleep(0.2)

for message in call("inboxMessages"):
    print(f"{message['rcpt_to'][0]:20} {message['subject']}")
