// Authenticates at a relay: PLAIN (RFC 4616), LOGIN, CRAM-MD5 (RFC 2195), OAUTHBEARER (RFC 7628), XOAUTH2.
// Returns undefined on success, else the outcome; its text never contains what we sent, even if the server repeats it.
import { createHmac } from 'node:crypto';
import type { AuthMethod, Relay } from '../../base/relay/relay.ts';
import { oauthBearer, xoauth2 } from '../oauth/sasl.ts';
import type { Lost, Replied } from '../verdict/outcome.ts';
import type { Ask } from './channel.ts';
import { type Reply, replied } from './replies.ts';

type Account = NonNullable<Relay['auth']>;

/** @param clearAllowed the password may be sent as it is: over TLS, or because the operator allows it */
export async function authenticate(
  ask: Ask,
  account: Account,
  offered: readonly string[],
  encrypted: boolean,
  clearAllowed: boolean,
): Promise<Replied | Lost | undefined> {
  const method = choose(account, offered, encrypted, clearAllowed);
  if (method === undefined) {
    const offer = offered.length === 0 ? 'no authentication' : `only ${offered.join(', ')}`;
    return clearAllowed
      ? localReply(504, '5.5.4', `the server offers ${offer}, which this relay's settings do not allow`)
      : localReply(
          538,
          '5.7.11',
          `the password is not sent without TLS, and the server offers ${offer}; see tls= of the relay`,
        );
  }
  let reply: Reply | undefined;
  const sent: string[] = [];
  for (const next of exchanges[method](account)) {
    const line = next(reply);
    const [, , initial] = line.split(' ');
    // The names of mechanisms are no secret.
    if (initial !== undefined || !line.startsWith('AUTH ')) sent.push(initial ?? line);
    const asked = await ask(line, 'auth');
    if ('lost' in asked) return asked.lost;
    reply = asked.reply;
    if (reply.code !== 334) break;
  }
  if (reply?.code === 334) {
    // A token's error comes in a challenge, and the refusal after the line that ends it; others are cancelled (RFC 4954 4).
    const error = isToken(method) ? errorIn(reply) : '';
    const asked = await ask(lastLines[method] ?? '*', 'auth');
    if ('lost' in asked) return asked.lost;
    reply = asked.reply;
    if (error !== '' && reply.code >= 400) reply = { ...reply, lines: [...reply.lines, error] };
  }
  if (reply?.code === 235) return undefined;
  if (reply && reply.code >= 400) return replied(without(reply, secretsOf(account, sent)), 'auth', false);
  return { kind: 'lost', stage: 'auth', dotted: false, why: 'garbage', text: `an unexpected ${reply?.code} to AUTH` };
}

function choose(
  account: Account,
  offered: readonly string[],
  encrypted: boolean,
  clearAllowed: boolean,
): Mechanism | undefined {
  // Over TLS the simplest is the most compatible; without TLS, CRAM-MD5 at least does not reveal the password.
  const preferred: Mechanism[] = encrypted ? ['plain', 'login', 'cram-md5'] : ['cram-md5', 'plain', 'login'];
  const { method } = account;
  const wanted: readonly Mechanism[] =
    method === undefined ? preferred : method === 'oauth' ? ['xoauth2', 'oauthbearer'] : [method];
  return wanted.find((mechanism) => offered.includes(names[mechanism]) && (clearAllowed || mechanism === 'cram-md5'));
}

type Mechanism = Exclude<AuthMethod, 'oauth'>;

const names: Record<Mechanism, string> = {
  plain: 'PLAIN',
  login: 'LOGIN',
  'cram-md5': 'CRAM-MD5',
  xoauth2: 'XOAUTH2',
  oauthbearer: 'OAUTHBEARER',
};

/** What ends an exchange after an error: nothing, or a single control A (RFC 7628 3.2.3). */
const lastLines: Partial<Record<Mechanism, string>> = { xoauth2: '', oauthbearer: 'AQ==' };
const isToken = (mechanism: Mechanism) => lastLines[mechanism] !== undefined;

/** The error of a token, such as {"status":"401"}, as text; '' if it is none. */
function errorIn(reply: Reply): string {
  const text = Buffer.from(reply.lines[0] ?? '', 'base64').toString('latin1');
  return /^\{[\x20-\x7e]{1,200}\}$/.test(text) ? text : '';
}

/** The next line of an exchange, from the reply to the one before. */
type NextLine = (reply: Reply | undefined) => string;

const exchanges: Record<Mechanism, (account: Account) => NextLine[]> = {
  plain: ({ user, password }) => [() => `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`],
  login: ({ user, password }) => [() => 'AUTH LOGIN', () => base64(user), () => base64(password)],
  'cram-md5': ({ user, password }) => [
    () => 'AUTH CRAM-MD5',
    (reply) => {
      const challenge = Buffer.from(reply?.lines[0] ?? '', 'base64');
      return base64(`${user} ${createHmac('md5', password).update(challenge).digest('hex')}`);
    },
  ],
  xoauth2: ({ user, password }) => [() => `AUTH XOAUTH2 ${base64(xoauth2(user, password))}`],
  oauthbearer: ({ user, password }) => [() => `AUTH OAUTHBEARER ${base64(oauthBearer(user, password))}`],
};

/** What must not appear in a reply, as octets: the password and the lines sent with it. */
function secretsOf({ password }: Account, sent: readonly string[]): string[] {
  const plain = [password, encodeURIComponent(password), base64(password), ...sent];
  return plain.filter((secret) => secret !== '').map((secret) => Buffer.from(secret, 'utf8').toString('latin1'));
}

function without(reply: Reply, secrets: readonly string[]): Reply {
  const lines = reply.lines.map((line) => secrets.reduce((text, secret) => text.replaceAll(secret, '***'), line));
  return { ...reply, lines };
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function localReply(code: number, enhanced: string, text: string): Replied {
  return { kind: 'reply', stage: 'auth', code, enhanced, text, dotted: false, local: true };
}
