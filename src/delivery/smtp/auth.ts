// Proves to a relay who we are: PLAIN (RFC 4616), LOGIN, CRAM-MD5 (RFC 2195), XOAUTH2.
// Promises undefined when the server is satisfied, else the outcome; the outcome's text never holds what we sent.
import { createHmac } from 'node:crypto';
import type { Ask } from './channel.ts';
import type { Lost, Replied } from './outcome.ts';
import type { AuthMethod, Relay } from './relay.ts';
import { type Reply, replied } from './replies.ts';

type Account = NonNullable<Relay['auth']>;

/** `encrypted`: over TLS. `open`: the password may travel as it is, because encrypted or by the operator's word. */
export async function prove(
  ask: Ask,
  account: Account,
  offered: readonly string[],
  encrypted: boolean,
  open: boolean,
): Promise<Replied | Lost | undefined> {
  const method = choose(account, offered, encrypted, open);
  if (method === undefined) {
    const known = offered.length === 0 ? 'no authentication' : `only ${offered.join(', ')}`;
    return open
      ? local(504, '5.5.4', `the server offers ${known}, which does not serve for this relay`)
      : local(
          538,
          '5.7.11',
          `the password is not sent without TLS, and the server offers ${known}; see tls= of the relay`,
        );
  }
  // One line of each exchange; the last line of the list is the last that the mechanism has to say.
  let reply: Reply | undefined;
  const said: string[] = [];
  for (const say of exchanges[method](account)) {
    const line = say(reply);
    const [, , initial] = line.split(' ');
    // Mechanism names are no secret.
    if (initial !== undefined || !line.startsWith('AUTH ')) said.push(initial ?? line);
    const asked = await ask(line, 'auth');
    if ('lost' in asked) return asked.lost;
    reply = asked.reply;
    if (reply.code !== 334) break;
  }
  if (reply?.code === 334) {
    // XOAUTH2 sends its error in a challenge and refuses after an empty line; anything else is cancelled (RFC 4954 4).
    const asked = await ask(method === 'xoauth2' ? '' : '*', 'auth');
    if ('lost' in asked) return asked.lost;
    reply = asked.reply;
  }
  if (reply?.code === 235) return undefined;
  if (reply && reply.code >= 400) return replied(without(reply, secretsOf(account, said)), 'auth', false);
  return { kind: 'lost', stage: 'auth', dotted: false, why: 'garbage', text: `an unexpected ${reply?.code} to AUTH` };
}

function choose(
  account: Account,
  offered: readonly string[],
  encrypted: boolean,
  open: boolean,
): AuthMethod | undefined {
  const names: Record<AuthMethod, string> = {
    plain: 'PLAIN',
    login: 'LOGIN',
    'cram-md5': 'CRAM-MD5',
    xoauth2: 'XOAUTH2',
  };
  // Over TLS the simplest is the most compatible; without it CRAM-MD5 at least keeps the password.
  const preferred: AuthMethod[] = encrypted ? ['plain', 'login', 'cram-md5'] : ['cram-md5', 'plain', 'login'];
  return (account.method ? [account.method] : preferred).find(
    (method) => offered.includes(names[method]) && (open || method === 'cram-md5'),
  );
}

type Say = (reply: Reply | undefined) => string;

const exchanges: Record<AuthMethod, (account: Account) => Say[]> = {
  plain: ({ user, password }) => [() => `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`],
  login: ({ user, password }) => [() => 'AUTH LOGIN', () => base64(user), () => base64(password)],
  'cram-md5': ({ user, password }) => [
    () => 'AUTH CRAM-MD5',
    (reply) => {
      const challenge = Buffer.from(reply?.lines[0] ?? '', 'base64');
      return base64(`${user} ${createHmac('md5', password).update(challenge).digest('hex')}`);
    },
  ],
  xoauth2: ({ user, password }) => [() => `AUTH XOAUTH2 ${base64(`user=${user}\x01auth=Bearer ${password}\x01\x01`)}`],
};

/** What must not come back in a reply, as its octets would look: the password, and what was said to prove it. */
function secretsOf({ password }: Account, said: readonly string[]): string[] {
  const plain = [password, encodeURIComponent(password), base64(password), ...said];
  return plain.filter((secret) => secret !== '').map((secret) => Buffer.from(secret, 'utf8').toString('latin1'));
}

function without(reply: Reply, secrets: readonly string[]): Reply {
  const lines = reply.lines.map((line) => secrets.reduce((text, secret) => text.replaceAll(secret, '***'), line));
  return { ...reply, lines };
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function local(code: number, enhanced: string, text: string): Replied {
  return { kind: 'reply', stage: 'auth', code, enhanced, text, dotted: false, local: true };
}
