// Reads a mailbox by POP3 (RFC 1939, STLS of RFC 2595): messages whose unique id is new. Deletes only messages that were taken.
// Our own client, because existing libraries lose the end of a message that is split between two packets.
import { createHash } from 'node:crypto';
import { xoauth2 } from '../../relays/oauth/sasl.ts';
import { type Connection, openConnection } from './connection.ts';
import { keptBytes, type Mailbox, MailboxProblem, type Read, type Server } from './protocol.ts';
import { joined, Reading } from './reading.ts';
import { noTokens, refused, refusedLogin, refusedToken, wordsOf } from './refusal.ts';

/** Messages that may stay in a mailbox, so that their unique ids can be remembered. */
const maxStay = 20_000;
const maxStatusLine = 8 * 1024;
const maxListBytes = 16 * 1024 * 1024;
/** A message is read to its end, although only its beginning is kept. */
const maxMessageBytes = 64 * 1024 * 1024;

export const readPop3: Read = async (server, mailbox, take, max, limits) => {
  const connection = await openConnection(server, mailbox.security === 'tls', limits);
  try {
    const session = new Session(connection);
    await signIn(session, server, mailbox);
    const list = await listed(session, max === 0);
    if (max === 0) {
      await session.quit();
      return { position: mailbox.position, more: false, problem: '' };
    }
    connection.opened();
    return await readListed(session, mailbox, list, new Reading(mailbox.position.missed ?? [], take, limits), max);
  } finally {
    connection.close();
  }
};

async function readListed(session: Session, { position }: Mailbox, list: List, reading: Reading, max: number) {
  const { present, nameless, beyond } = list;
  const there = new Set(present.map(({ id }) => id));
  reading.keepOnly((id) => there.has(id));
  const known = new Set(position.seen);
  const stay = new Set(present.filter(({ id }) => known.has(id)).map(({ id }) => id));
  const again = present.filter(({ id }) => reading.isMissed(id) && reading.isDue(id));
  const fresh = present.filter(({ id }) => !known.has(id) && !reading.isMissed(id));
  let undeleted = '';
  const readOne = async ({ number, id }: Listed) => {
    const outcome = await reading.read(id, () => session.fetch(number));
    if (outcome !== 'taken') {
      if (outcome === 'stayed') stay.add(id);
      return;
    }
    const words = await session.refusal(`DELE ${number}`);
    if (words === undefined) return;
    undeleted = words;
    stay.add(id);
  };
  let left = fresh.length;
  try {
    for (const message of again.slice(0, max)) await readOne(message);
    for (const message of fresh.slice(0, Math.max(0, max - again.length))) {
      if (reading.isOver) break;
      await readOne(message);
      left -= 1;
    }
    // Deletions count only after QUIT: until then nothing is deleted, and the messages are read again.
    const words = await session.quit();
    if (words !== undefined) undeleted = words;
  } catch (error) {
    if (error instanceof MailboxProblem) {
      // Nothing was deleted, so what was read counts as not read.
      if (error.readBefore === 0) error.position = { seen: [...stay], missed: reading.missed };
    }
    throw error;
  }
  // Those that the server did not delete are not read again.
  if (undeleted !== '') for (const id of reading.taken) stay.add(id);
  const isFailing = reading.isOver && reading.taken.length + reading.stayed.length === 0;
  const { missed } = reading;
  return {
    position: { seen: [...stay], ...(missed.length > 0 && { missed }) },
    more: left > 0 && !isFailing,
    problem: joined([
      reading.problem('id'),
      nameless === 0 ? '' : `${nameless === 1 ? '1 message has' : `${nameless} messages have`} no unique id`,
      undeleted && `the notices cannot be deleted; ${refused(undeleted).message}`,
      beyond === 0 ? '' : `only the newest ${maxStay} of ${maxStay + beyond} messages are read`,
    ]),
  };
}

async function signIn(session: Session, server: Server, mailbox: Mailbox): Promise<void> {
  const { security, user, password, auth, token = '' } = mailbox;
  await session.greet();
  if (security === 'starttls') await session.secure(server);
  if (auth === 'oauth') return session.signInWithToken(user, token);
  for (const command of [`USER ${plain(user)}`, `PASS ${plain(password)}`]) {
    const words = await session.refusal(command);
    if (words !== undefined) throw refusedLogin(words);
  }
}

type Listed = { number: string; id: string };
/** @property nameless messages without a unique id; beyond: older messages than the newest that are read */
type List = { present: Listed[]; nameless: number; beyond: number };

/** @param isTrial whether the server is only asked whether it has unique ids */
async function listed(session: Session, isTrial: boolean): Promise<List> {
  const words = await session.refusal('UIDL', maxListBytes);
  if (words !== undefined && isPassing(words)) throw refused(words);
  if (words !== undefined)
    throw new MailboxProblem(`the server has no unique ids (UIDL)${words && `; it replied: ${words}`}`);
  const present: Listed[] = [];
  const times = new Map<string, number>();
  let nameless = 0;
  let beyond = 0;
  await session.eachLine((line) => {
    if (isTrial) return;
    const [, number, given] = /^\s*(\d{1,10})(?:\s+(.*))?$/s.exec(line.trim()) ?? [];
    if (number === undefined) return;
    if (given === undefined) {
      nameless += 1;
      return;
    }
    // A server may make the id from the content, so that copies of a message have the same one.
    const short = /^[!-~]{1,70}$/.test(given) ? given : createHash('sha256').update(given).digest('base64url');
    const time = (times.get(short) ?? 0) + 1;
    times.set(short, time);
    present.push({ number, id: time === 1 ? short : `${short} ${time}` });
    if (present.length <= 2 * maxStay) return;
    beyond += present.length - maxStay;
    present.splice(0, present.length - maxStay);
  });
  if (present.length > maxStay) {
    beyond += present.length - maxStay;
    present.splice(0, present.length - maxStay);
  }
  return { present, nameless, beyond };
}

const isPassing = (words: string): boolean =>
  /^\[(SYS\/TEMP|IN-USE|LOGIN-DELAY)\]|temporar|try again|in use|locked/i.test(words);

/** A line break would end the command. */
function plain(text: string): string {
  if (/[\r\n\0]/.test(text)) throw new MailboxProblem('the user name or the password has a line break');
  return text;
}

/** The dialogue on a connection: commands out, lines in. */
class Session {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async greet(): Promise<void> {
    const line = await this.#line();
    if (!/^(\+OK|-ERR)\b/i.test(line)) throw this.#connection.fail('the greeting is not that of a POP3 server');
    this.#connection.greeted();
    if (/^-/.test(line)) throw refused(wordsOf(line.slice(4)));
  }

  async secure(server: Server): Promise<void> {
    const words = await this.refusal('STLS');
    if (words !== undefined)
      throw new MailboxProblem(`the server does not support STLS${words && `; it replied: ${words}`}`);
    await this.#connection.secure(server);
  }

  /** @returns the words of the server when the reply is not +OK */
  async refusal(command: string, maxBytes?: number): Promise<string | undefined> {
    const line = await this.#reply(command, maxBytes);
    return /^\+OK\b/i.test(line) ? undefined : wordsOf(line.replace(/^-ERR\b/i, ''));
  }

  /** By XOAUTH2, in two steps: a line with the token may be too long for a command. */
  async signInWithToken(user: string, token: string): Promise<void> {
    const prompt = await this.#reply('AUTH XOAUTH2');
    if (!prompt.startsWith('+') || prompt.startsWith('+OK')) throw new MailboxProblem(noTokens);
    const reply = await this.#reply(Buffer.from(xoauth2(user, token)).toString('base64'));
    // The error of a token comes in a challenge, and is refused after an empty line.
    const last = reply.startsWith('+ ') ? await this.#reply('') : reply;
    if (!/^\+OK\b/i.test(last)) throw refusedToken(wordsOf(last.replace(/^-ERR\b/i, '')).replaceAll(token, '***'));
  }

  eachLine(use: (line: string) => void): Promise<void> {
    return this.#connection.eachLine(maxStatusLine, use);
  }

  async fetch(number: string): Promise<Buffer | { why: string }> {
    const words = await this.refusal(`RETR ${number}`, maxMessageBytes);
    if (words !== undefined) return { why: refused(words).message };
    const text = await this.#connection.text(keptBytes);
    // Whether the message has no content, or the server has just failed to send it.
    if (text.length > 0 || /^\+OK \d+ 0\b/i.test(await this.#reply(`LIST ${number}`))) return text;
    return { why: 'the server sends no content' };
  }

  /** @returns the words of the server when it could not delete everything; some servers close the connection without a reply */
  async quit(): Promise<string | undefined> {
    try {
      return await this.refusal('QUIT');
    } catch (error) {
      if (error instanceof MailboxProblem) return undefined;
      throw error;
    }
  }

  #reply(command: string, maxBytes?: number): Promise<string> {
    this.#connection.expect(maxBytes);
    this.#connection.write(`${command}\r\n`);
    return this.#line();
  }

  async #line(): Promise<string> {
    return (await this.#connection.line(maxStatusLine)).toString('utf8');
  }
}
