// Sends the values of the table with the package xmlrpc: node send.mjs VARIANT.
import { createRequire } from 'node:module';

const xmlrpc = createRequire(`${process.env.MAIL_MODULES ?? process.cwd()}/`)('xmlrpc');
const id = process.env.MAIL_LIST;
const client = xmlrpc.createClient({ url: `${process.env.MAIL_URL}/xmlrpc` });

/** What the client cannot send is passed over. */
const call = (name, method, params) =>
  new Promise((resolve) => {
    client.options.headers['X-Case'] = name;
    try {
      client.methodCall(method, [{ apikey: process.env.MAIL_KEY, ...params }], (error) => {
        if (error) console.log(`${name}: ${error.message}`);
        resolve();
      });
    } catch (error) {
      console.log(`${name}: ${error.message}`);
      resolve();
    }
  });
const options = { double_optin: false, update_existing: true };
const subscribe = (name, merge_vars) =>
  call(name, 'listSubscribe', { id, email_address: `${name}@client.example`, merge_vars, ...options });

await subscribe('umlaut', { FNAME: 'ä' });
await subscribe('cjk', { FNAME: '日本' });
await subscribe('emoji', { FNAME: '😀' });
await subscribe('quote', { FNAME: 'O’Hara' });
await subscribe('word', { FNAME: 'O\x92Hara' });
await subscribe('empty', { FNAME: '' });
await subscribe('null', { FNAME: null });
await subscribe('date', { BDAY: new Date(2015, 11, 25) });
await subscribe('digits', { NUMBER: '00123' });
await subscribe('int', { NUMBER: 123 });
await subscribe('double', { NUMBER: 123 });
await subscribe('bytes', { FNAME: Buffer.from('ä') });
await call('boolean', 'listCreate', { title: 'Boolean', options: { has_email_type_option: false } });
const rows = [
  { EMAIL: 'row1@client.example', FNAME: 'ä' },
  { EMAIL: 'row2@client.example', FNAME: '日本' },
];
await call('nested', 'listBatchSubscribe', { id, batch: rows, ...options });
await call('gaps', 'listBatchSubscribe', { id, batch: { 17: rows[0], 42: rows[1] }, ...options });
