// The words for a relay that could not be connected to, from the failures as servers, the system and OpenSSL cause them.
import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { renderMessage } from '../../base/messages.ts';
import { parseSmtpUrl } from '../../base/relay/relay.ts';
import type { Lost } from '../verdict/outcome.ts';
import { failureInWords } from './failure-words.ts';
import { openConnection } from './open-connection.ts';

/** A server that replies to each line. @returns its port */
async function listen(t: TestContext, greeting: string, replyTo: (line: string) => string = () => '250 fine') {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (greeting === 'end') socket.end();
    else if (greeting !== '') socket.write(`${greeting}\r\n`);
    socket.on('data', (bytes) => socket.write(`${replyTo(bytes.toString('latin1').trim())}\r\n`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function wordsOf(url: string, timeScale = 1): Promise<string> {
  const relay = parseSmtpUrl(url);
  const opened = await openConnection(relay, { ehloName: 'client.test', timeScale });
  assert.equal(opened.ok, false);
  const words = failureInWords(opened.ok ? undefined : opened.outcome, relay);
  return words ? renderMessage(words) : '';
}

test('a port that nothing listens on', async (t) => {
  const port = await listen(t, '220 hello');
  assert.equal(
    await wordsOf('smtp://127.0.0.1:9?tls=none'),
    'The server 127.0.0.1 refused the connection on port 9. Is the port right?',
  );
  // A port of four digits and more has no separator.
  assert.match(await wordsOf(`smtps://127.0.0.1:${port}`), new RegExp(`on port ${port}\\. Choose another encryption`));
});

test('a name that does not exist', async () => {
  assert.match(
    await wordsOf('smtp://relay.invalid:25?tls=none'),
    /^There is no server with the name relay\.invalid\.|^The name relay\.invalid cannot be looked up now/,
  );
});

test('a server that says nothing, hangs up, or is no email server', async (t) => {
  const silent = await listen(t, '');
  assert.match(await wordsOf(`smtp://127.0.0.1:${silent}?tls=none`, 0.001), /but did not greet\. Port 465 needs TLS/);
  const ends = await listen(t, 'end');
  assert.match(await wordsOf(`smtp://127.0.0.1:${ends}?tls=none`), /closed the connection on port \d+ at once/);
  const web = await listen(t, 'HTTP/1.1 400 Bad Request');
  assert.match(await wordsOf(`smtp://127.0.0.1:${web}?tls=none`), /is not an email server\. Is the port right\?/);
});

test('a server without the encryption that is required', async (t) => {
  const port = await listen(t, '220 hello', (line) => (line.startsWith('EHLO') ? '250 hello' : '502 no'));
  assert.match(await wordsOf(`smtp://127.0.0.1:${port}?tls=require`), /offers no encryption \(STARTTLS\)/);
});

test('a wrong password: the reply of the server', async (t) => {
  const port = await listen(t, '220 hello', (line) =>
    line.startsWith('EHLO') ? '250-hello\r\n250 AUTH PLAIN' : '535 5.7.8 Wrong user name or password',
  );
  assert.equal(
    await wordsOf(`smtp://ann:wrong@127.0.0.1:${port}?tls=none`),
    'The server 127.0.0.1 refused the sign-in. Are the user name and password right? Its reply: 535 5.7.8 Wrong user name or password',
  );
  const later = await listen(t, '220 hello', (line) =>
    line.startsWith('EHLO') ? '250-hello\r\n250 AUTH PLAIN' : '454 4.7.0 Try again later',
  );
  assert.equal(await wordsOf(`smtp://ann:right@127.0.0.1:${later}?tls=none`), '');
  const none = await listen(t, '220 hello');
  assert.match(await wordsOf(`smtp://ann:right@127.0.0.1:${none}?tls=none`), /does not offer the sign-in method/);
});

test('failures that are not caused here, in both languages, without the error of the program', () => {
  const lost = (code: string, text: string, more: Partial<Lost> = {}): Lost => ({
    ...{ kind: 'lost', stage: 'connect', dotted: false, why: 'closed', code, text },
    ...more,
  });
  const relay = { host: 'mail.example.com', port: 2525 };
  const failures: [Lost, RegExp, RegExp][] = [
    [lost('ENOTFOUND', 'getaddrinfo ENOTFOUND mail.example.com'), /no server with the name/, /keinen Server mit/],
    [lost('EAI_AGAIN', 'getaddrinfo EAI_AGAIN mail.example.com'), /no name server answers/, /Kein Nameserver/],
    [lost('EHOSTUNREACH', 'connect EHOSTUNREACH 10.1.1.1:2525'), /cannot be reached/, /nicht erreichbar/],
    [
      lost('ETIMEDOUT', 'connect ETIMEDOUT 10.1.1.1:2525', { why: 'timeout' }),
      /did not answer on port 2525 in time/,
      /nicht rechtzeitig/,
    ],
    [
      lost('', 'waited too long for mail.example.com to take the connection', { why: 'timeout' }),
      /did not answer on port 2525 in time/,
      /nicht rechtzeitig/,
    ],
    [lost('CERT_HAS_EXPIRED', 'certificate has expired', { why: 'tls' }), /has expired/, /abgelaufen/],
    [
      lost('ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames", { why: 'tls' }),
      /is not for mail\.example\.com/,
      /gilt nicht für/,
    ],
    [
      lost('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', { why: 'tls', stage: 'starttls' }),
      /not from a known authority/,
      /keiner bekannten/,
    ],
    [lost('ECONNRESET', 'read ECONNRESET', { why: 'reset' }), /closed the connection/, /sofort beendet/],
  ];
  for (const [failure, english, german] of failures) {
    const words = failureInWords(failure, relay)!;
    assert.match(renderMessage(words), english);
    assert.match(renderMessage(words, 'de'), german);
    assert.doesNotMatch(renderMessage(words), /\b(E[A-Z]{4,}|getaddrinfo|connect E)/);
  }
  // What the program itself says of an address that it must not use stays.
  const own = lost('', '10.1.1.1 is in a private network that OUTBOUND_ALLOW does not have');
  assert.equal(failureInWords(own, relay), undefined);
});
