// The PHP SDK by the installed PHP: what is generated loads and has the signatures of the methods, a campaign is sent from end to end,
// and retries, faults, time-outs and transports behave as they are described. Without PHP these tests are skipped, with the reason.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test as plainTest } from 'node:test';
import { promisify } from 'node:util';
import { describedApi } from '../../scripts/sdk/description.ts';
import { folder } from '../../scripts/sdk.ts';
import { people } from '../support/delivery/engine.ts';
import { type MailingApp, mailingApp } from '../support/installation/mailing-app.ts';

const run = promisify(execFile);
const php = join(folder, 'php');
const isThere = spawnSync('php', ['-r', 'exit(PHP_VERSION_ID >= 80100 ? 0 : 1);']).status === 0;
const test = (name: string, body: () => Promise<void> | void) =>
  plainTest(name, { skip: !isThere && 'needs php-cli, 8.1 or later' }, body);
/** Every transport that needs no further packages. */
const transports =
  spawnSync('php', ['-r', 'exit(extension_loaded("curl") ? 0 : 1);']).status === 0 ? ['Curl', 'Stream'] : ['Stream'];

let t: MailingApp;
before(async () => {
  t = await mailingApp();
});
after(() => t.close());

/** Runs PHP with `$postrider`, a client of the address; @returns what it prints */
async function client(
  address: string,
  code: string,
  given: { key?: string; transport?: string; timeout?: number } = {},
): Promise<string> {
  const { key = 'k', transport = transports[0]!, timeout = 30 } = given;
  const whole = `declare(strict_types=1);
    require ${JSON.stringify(join(php, 'autoload.php'))};
    use Postrider\\{Client, PostriderError};
    error_reporting(E_ALL);
    set_error_handler(function (int $level, string $message) { throw new ErrorException($message); });
    $postrider = new Client('${address}', '${key}', timeout: ${timeout}, transport: new Postrider\\${transport}Transport());
    try { ${code} } catch (PostriderError $error) {
      echo json_encode([get_class($error), $error->getCode(), $error->status, $error->member, $error->reason, $error->method]);
    }`;
  const { stdout } = await run('php', ['-d', 'display_errors=stderr', '-r', whole], { encoding: 'utf8' });
  return stdout;
}

test('every file of the client is valid PHP', async () => {
  const files = globSync('**/*.php', { cwd: php });
  assert.ok(files.length > 8);
  for (const file of files) {
    const { stdout } = await run('php', ['-d', 'error_reporting=-1', '-l', join(php, file)]);
    assert.match(stdout, /^No syntax errors/, file);
  }
});

type Signature = Record<string, { type: string; isOptional: boolean }>;

test('PHP sees every method with its parameters and their types, the required ones first', async () => {
  const code = `
    $all = [];
    foreach ((new ReflectionClass(Postrider\\Methods::class))->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
      if ($method->getName() === 'call') continue;
      $params = [];
      foreach ($method->getParameters() as $param)
        $params[$param->getName()] = ['type' => (string) $param->getType(), 'isOptional' => $param->isOptional()];
      $all[$method->getName()] = ['params' => (object) $params, 'returns' => (string) $method->getReturnType()];
    }
    echo json_encode($all);`;
  const seen = JSON.parse(await client('http://127.0.0.1:1', code)) as Record<
    string,
    { params: Signature; returns: string }
  >;
  const { methods } = describedApi();
  assert.deepEqual(Object.keys(seen).toSorted(), methods.map(({ name }) => name).toSorted());
  for (const { name, params, returns } of methods) {
    const { properties = {}, required = [] } = params;
    const found = seen[name]!;
    assert.deepEqual(Object.keys(found.params).toSorted(), Object.keys(properties).toSorted(), name);
    for (const [member, { isOptional }] of Object.entries(found.params))
      assert.equal(isOptional, !required.includes(member), `${name}(${member})`);
    assert.deepEqual(Object.keys(found.params).slice(0, required.length).toSorted(), required.toSorted(), name);
    if (returns.type === 'boolean') assert.equal(found.returns, 'bool', name);
  }
  assert.deepEqual(seen['campaignCreate']!.params['type'], { type: 'string', isOptional: false });
  assert.deepEqual(seen['campaigns']!.params['limit'], { type: '?int', isOptional: true });
  assert.equal(seen['campaigns']!.returns, 'array');
});

test('the types for static analysis name only types that exist', () => {
  const types = readFileSync(join(php, 'src/Types.php'), 'utf8');
  const methods = readFileSync(join(php, 'src/Methods.php'), 'utf8');
  const defined = new Set([...types.matchAll(/@phpstan-type (\w+) /g)].map(([, name]) => name!));
  const imported = new Set([...methods.matchAll(/@phpstan-import-type (\w+) from Types/g)].map(([, name]) => name!));
  for (const name of imported) assert.ok(defined.has(name), name);
  const mentioned = (text: string) =>
    [...text.replace(/'(\\'|[^'])*'/g, '').matchAll(/(?:: |<|@param |@return |\|)([A-Z]\w+)/g)].map(
      ([, name]) => name!,
    );
  for (const line of types.split('\n').filter((one) => one.startsWith(' *   ')))
    for (const name of mentioned(line)) assert.ok(defined.has(name), name);
  for (const line of methods.split('\n').filter((one) => /^ {5}\* @return/.test(one)))
    for (const name of mentioned(line)) assert.ok(imported.has(name), name);
});

test('the example of its README and the one beside it run as they are written', async () => {
  const environment = { ...process.env, POSTRIDER_URL: t.app.baseUrl, POSTRIDER_API_KEY: t.key };
  const written = /```php\n<\?php\n([\s\S]*?)```/.exec(readFileSync(join(php, 'README.md'), 'utf8'))![1]!;
  const code = written.replace("'vendor/autoload.php'", JSON.stringify(join(php, 'autoload.php')));
  const readme = await run('php', ['-r', code], { env: environment });
  assert.match(readme.stdout, /^ada@example\.com\nfault 300: /);
  const example = await run('php', [join(php, 'examples/first-campaign.php')], { env: environment });
  assert.match(example.stdout, /^3 subscribed\nsent to 3\nfault 3\d\d: .+\n$/);
});

for (const transport of transports) {
  test(`faults have their number, status, member and reason (${transport})`, async () => {
    const given = { key: t.key, transport };
    const [kind, code, status, member, reason, method] = JSON.parse(
      await client(t.app.baseUrl, '$postrider->campaigns(limit: 5000);', given),
    );
    assert.deepEqual([kind, status, member, method], ['Postrider\\PostriderError', 400, 'limit', 'campaigns']);
    assert.equal(typeof code, 'number');
    assert.match(reason, /^[a-z_]+\.[a-z_]+/);
    const refused = await client(t.app.baseUrl, '$postrider->ping();', { key: '0'.repeat(32), transport });
    assert.equal(JSON.parse(refused)[2], 401);
  });

  test(`iteration yields the rows of all pages, each once (${transport})`, async () => {
    const list = await t.call<string>('listCreate', { title: 'Pages' });
    const emails = people(130);
    await t.call('listBatchSubscribe', { id: list, batch: emails.map((EMAIL) => ({ EMAIL })), double_optin: false });
    const given = { key: t.key, transport };
    const members = await client(
      t.app.baseUrl,
      `echo json_encode(array_map(fn ($row) => $row['email'], iterator_to_array($postrider->iterate('listMembers', id: '${list}'))));`,
      given,
    );
    assert.deepEqual((JSON.parse(members) as string[]).toSorted(), emails.toSorted());
    const contacts = await client(
      t.app.baseUrl,
      `foreach ($postrider->iterate('contacts', limit: 60) as $row) echo $row['email'], "\\n";`,
      given,
    );
    const found = contacts.trim().split('\n');
    assert.equal(new Set(found).size, found.length);
    assert.ok(emails.every((email) => found.includes(email)));
  });

  test(`empty arrays are sent as structs where the API takes structs, and null is not sent (${transport})`, async () => {
    const [asked] = await answering([{ status: 200, body: 'a1' }], (address) =>
      client(
        address,
        `$postrider->campaignCreate(type: 'HTML', options: ['list_id' => [], 'tracking' => []], content: [], type_opts: null, idempotency_key: 'x');`,
        { transport },
      ),
    );
    assert.deepEqual(asked, {
      type: 'HTML',
      options: { list_id: [], tracking: {} },
      content: {},
      idempotency_key: 'x',
    });
    const [ping] = await answering([{ status: 200, body: 'ok' }], (address) =>
      client(address, '$postrider->ping();', { transport }),
    );
    assert.deepEqual(ping, {});
  });

  test(`calls with an idempotency key are repeated with the same key (${transport})`, async () => {
    const asked = await answering([busy, busy, { status: 200, body: 'a0000001' }], (address) =>
      client(address, '$postrider->listCreate(title: "x");', { transport }),
    );
    assert.equal(asked.length, 3);
    assert.match(
      String(asked[0]!['idempotency_key']),
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    assert.equal(new Set(asked.map((params) => params['idempotency_key'])).size, 1);
  });

  test(`a call whose effect is unknown is not repeated, unless the server says that nothing changed (${transport})`, async () => {
    const nothing: Reply = {
      ...busy,
      body: { error: 'x', code: 1, text: { key: 'call.nothing_changed', values: {} } },
    };
    const done: Reply = { status: 200, body: true };
    const send = (address: string) => client(address, '$postrider->campaignSendNow(cid: "a0000001");', { transport });
    assert.equal((await answering([busy, done], send)).length, 1);
    assert.equal((await answering([nothing, done], send)).length, 2);
    assert.equal((await answering([{ ...busy, status: 429 }, done], send)).length, 2);
    assert.equal((await answering([{ ...busy, status: 500 }, done], send)).length, 1);
  });

  test(`a call that reads is repeated when it gets no answer; without success the error has no status (${transport})`, async () => {
    const cut: Reply = { status: 0, body: null };
    let printed = '';
    const read = async (address: string) => {
      printed = await client(address, 'echo json_encode($postrider->campaigns());', { transport });
    };
    assert.equal((await answering([cut, { status: 200, body: [] }], read)).length, 2);
    assert.equal(printed, '[]');
    const [kind, code, status] = JSON.parse(
      await client('http://127.0.0.1:1', '$postrider->campaignSendNow(cid: "x");', { transport }),
    );
    assert.deepEqual([kind, code, status], ['Postrider\\PostriderError', 0, 0]);
  });

  test(`an answer that does not come in time, one that ends early and a redirect are errors (${transport})`, async () => {
    const failing = async (reply: Reply, timeout = 30) => {
      let printed = '';
      await answering([reply], async (address) => {
        printed = await client(address, '$postrider->campaignSendNow(cid: "x");', { transport, timeout });
      });
      return JSON.parse(printed) as unknown[];
    };
    assert.deepEqual((await failing({ status: -1, body: null }, 0.3)).slice(1, 3), [0, 0]);
    assert.deepEqual(
      (await failing({ status: 200, body: true, headers: { 'content-length': '9' } })).slice(1, 3),
      [0, 0],
    );
    assert.deepEqual((await failing({ status: 307, body: true, headers: { location: '/' } })).slice(1, 3), [0, 307]);
    assert.deepEqual((await failing({ status: 502, body: [] })).slice(1, 3), [0, 502]);
  });
}

test('a client of PSR-18 can send the requests, and its failures are errors without a status', async () => {
  const stubs = join(import.meta.dirname, 'php/psr18.php');
  const code = `require ${JSON.stringify(stubs)};
    $by = new TinyClient();
    $client = new Client('http://127.0.0.1:1', 'key', transport: new Postrider\\Psr18Transport($by, $by, $by));
    echo json_encode($client->listCreate(title: 'x', idempotency_key: 'y')), json_encode($by->seen), "\\n";
    $by->fails = true;
    $client->campaignSendNow(cid: 'x');`;
  const [first, second] = (await client('http://127.0.0.1:1', code)).split('\n');
  assert.equal(
    first,
    '"done"{"method":"POST","uri":"http:\\/\\/127.0.0.1:1\\/api\\/listCreate","headers":{"Authorization":"Bearer key","Content-Type":"application\\/json"},"body":"{\\"title\\":\\"x\\",\\"idempotency_key\\":\\"y\\"}"}',
  );
  assert.deepEqual(JSON.parse(second!).slice(1, 3), [0, 0]);
});

test('a key is not part of what PHP prints about a failure', async () => {
  const code = `new Client('', 'secret-key');`;
  await assert.rejects(client('http://127.0.0.1:1', code), (error: Error & { stderr: string }) => {
    assert.match(error.stderr, /url is missing/);
    assert.ok(
      !error.stderr.split('\n').some((line) => line.startsWith('#') && line.includes('secret-key')),
      error.stderr,
    );
    return true;
  });
});

/** @property status 0: the connection is closed without an answer; -1: no answer until the client goes */
type Reply = { status: number; body: unknown; headers?: Record<string, string> };
const busy: Reply = { status: 503, body: { error: 'busy', code: 1 }, headers: { 'retry-after': '0' } };

/** A server that gives these answers, one after the other. @returns what it was asked */
async function answering(
  replies: Reply[],
  use: (address: string) => Promise<unknown>,
): Promise<Record<string, unknown>[]> {
  const asked: Record<string, unknown>[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    asked.push(JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>);
    const { status, body, headers } = replies[asked.length - 1] ?? { status: 500, body: {} };
    if (status === -1) return;
    if (status === 0) {
      request.socket.destroy();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
    response.end(JSON.stringify(body), () => request.socket.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return asked;
}
