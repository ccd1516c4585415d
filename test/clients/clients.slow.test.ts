// XML-RPC clients of other projects call the ten methods of the specification over HTTP, and the message they send arrives. What
// their libraries send is replayed by test/conformance/clients.test.ts. A client that cannot be installed is skipped with the
// reason; one that is installed and does not work is a failure.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type MailingApp, mailingApp } from '../support/installation/mailing-app.ts';
import { installClients } from './install.ts';
import { checkMail, checkReport, type Report, setStage, walk } from './walk.ts';

const found = installClients();
const walked = new Map<string, Report>();
let app: MailingApp;

before(async () => {
  app = await mailingApp();
});
after(() => app.close());

/** How each language reports a fault: its exception or object, or for forms the member `error`. */
const faultTypes: Record<string, string> = {
  'python/xmlrpc_client.py': 'Fault',
  'perl/rpc_xml.pl': 'RPC::XML::fault',
  'ruby/xmlrpc_client.rb': 'XMLRPC::FaultException',
  'php/xmlrpc.php': 'xmlrpc_is_fault',
  'php/form.php': 'error, code',
  'ruby/rest_client.rb': 'error, code',
  'python/urllib_form.py': 'code, error',
};

for (const client of found) {
  const skip = client.state === 'unavailable' && client.why;
  test(`${client.name} calls all ten methods, and its message arrives`, { skip }, async () => {
    assert.equal(client.state, 'present', client.why);
    const stage = await setStage(app);
    const report = await walk(client, stage);
    checkReport(report, stage, faultTypes[client.script]!);
    await checkMail(stage);
    walked.set(client.script, report);
  });
}

test('Python 3, used in place of Python 2, writes the same bytes as Python 2.7.18 did', () => {
  const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');
  const run = spawnSync('python3', [join(import.meta.dirname, 'python/urllib_form.py'), 'spell'], {
    env: { ...process.env, TEXT: `${printable}\r\nü€日`, LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
  });
  assert.equal(
    run.stdout,
    [
      'a%5Bb%5D=+%21%22%23%24%25%26%27%28%29%2A%2B%2C-.%2F0123456789%3A%3B%3C%3D%3E%3F%40ABCDEFGHIJKLMNOPQR',
      'STUVWXYZ%5B%5C%5D%5E_%60abcdefghijklmnopqrstuvwxyz%7B%7C%7D%7E%0D%0A%C3%BC%E2%82%AC%E6%97%A5&t=True&',
      'n=25',
    ].join('') + '\n',
    run.stderr,
  );
});

test("MultiCall of Python's xmlrpc.client gives results, and a Fault in its place", () => {
  const report = walked.get('python/xmlrpc_client.py')!;
  const [id, replica, fault, templates] = report.multicall!;
  assert.equal(id, report.created);
  assert.match(String(replica), /^[abcdf][0-9a-f]{7}$/);
  assert.equal(fault, 300);
  assert.deepEqual(templates, report.templates);
});
