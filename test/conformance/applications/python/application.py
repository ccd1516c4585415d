# A site with a sign-up widget, a shop and a newsletter, by xmlrpc.client.
# python3 application.py widget|shop|campaign|leave
import os
import sys
import urllib.parse
import xmlrpc.client

server = xmlrpc.client.ServerProxy(os.environ["MAIL_URL"] + "/1.8/", allow_none=True)


def call(method, **params):
    return getattr(server, method)({"apikey": os.environ["MAIL_KEY"], **params})


list_id = call("lists")[0]["id"]
command = sys.argv[1]

if command == "widget":
    # What the form posts, the widget's own fields included.
    posted = dict(urllib.parse.parse_qsl(sys.stdin.read(), keep_blank_values=True))
    call("listSubscribe", id=list_id, email_address=posted["EMAIL"], merge_vars=posted,
         email_type="html", double_optin=True, update_existing=True)
elif command == "shop":
    call("listMergeVarAdd", id=list_id, tag="REGISTRATIONDATE", name="Registered",
         options={"field_type": "date", "req": False})
    customers = {17: ("anna", "Änne", "25/12/2015"), 42: ("jiro", "日本", "05/01/2016"), 43: ("odd", "O’Hara 😀", "0000-00-00")}
    batch = {str(number): {"EMAIL": f"{name}@shop.example", "FNAME": first, "LNAME": None, "REGISTRATIONDATE": date}
             for number, (name, first, date) in customers.items()}
    result = call("listBatchSubscribe", id=list_id, batch=batch, double_optin=False, update_existing=True)
    print(f"{result['success_count']} stored, {result['error_count']} refused")
elif command == "campaign":
    html = '<p>Gr&uuml;ne Wälder</p><p><a href="https://shop.example/news">Neues</a></p><p><a href="*|UNSUB|*">Abmelden</a></p>'
    cid = call("campaignCreate", type="html",
               options={"list_id": list_id, "subject": "Grüße", "from_email": "news@shop.example", "from_name": "Bäcker"},
               content={"html": html, "plain": "Grüße: https://shop.example/news *|UNSUB|*"})
    call("campaignSendNow", cid=cid)
elif command == "leave":
    call("listUnsubscribe", id=list_id, email_address="reader@shop.example", delete_member=False,
         send_goodbye=False, send_notify=False)
    for member in call("listMembers", id=list_id, status="unsubscribed", start=0, limit=100):
        print(member["email"])
