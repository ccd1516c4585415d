"""Sends the values of the table with each way that Python has: python3 send.py VARIANT."""

import datetime
import os
import sys
import xmlrpc.client

variant = sys.argv[1]
settings = {'plain': {}, 'nil': {'allow_none': True}, 'builtin': {'allow_none': True, 'use_builtin_types': True}}[variant]
case = ''


class Transport(xmlrpc.client.Transport):
    def send_headers(self, connection, headers):
        super().send_headers(connection, headers + [('X-Case', case)])


server = xmlrpc.client.ServerProxy(
    os.environ['MAIL_URL'] + '/xmlrpc', transport=Transport(use_builtin_types=variant == 'builtin'), **settings
)
list_id = os.environ['MAIL_LIST']


def call(name, method, **params):
    """What the client cannot send is passed over."""
    global case
    case = name
    try:
        getattr(server, method)({'apikey': os.environ['MAIL_KEY'], **params})
    except (TypeError, xmlrpc.client.Fault) as error:
        print(f'{name}: {error}')


def subscribe(name, **merge_vars):
    call(
        name, 'listSubscribe', id=list_id, email_address=f'{name}@client.example', merge_vars=merge_vars,
        double_optin=False, update_existing=True,
    )


subscribe('umlaut', FNAME='ä')
subscribe('cjk', FNAME='日本')
subscribe('emoji', FNAME='😀')
subscribe('quote', FNAME='O’Hara')
subscribe('word', FNAME=b'O\x92Hara'.decode('latin-1'))
subscribe('empty', FNAME='')
subscribe('null', FNAME=None)
date = datetime.datetime(2015, 12, 25)
subscribe('date', BDAY=date if variant == 'builtin' else xmlrpc.client.DateTime(date))
subscribe('digits', NUMBER='00123')
subscribe('int', NUMBER=123)
subscribe('double', NUMBER=123.0)
subscribe('bytes', FNAME='ä'.encode() if variant == 'builtin' else xmlrpc.client.Binary('ä'.encode()))
call('boolean', 'listCreate', title='Boolean', options={'has_email_type_option': False})
rows = [{'EMAIL': 'row1@client.example', 'FNAME': 'ä'}, {'EMAIL': 'row2@client.example', 'FNAME': '日本'}]
call('nested', 'listBatchSubscribe', id=list_id, batch=rows, double_optin=False, update_existing=True)
gaps = {'17': rows[0], '42': rows[1]}
call('gaps', 'listBatchSubscribe', id=list_id, batch=gaps, double_optin=False, update_existing=True)
