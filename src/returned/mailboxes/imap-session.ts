// The dialogue of IMAP (RFC 3501): commands out, responses in. Reads what readers of bounce mailboxes need and skips the rest.
// Every response is bounded in bytes and number, and every refusal is reported in the server's words.
import { oauthBearer, xoauth2 } from '../../relays/oauth/sasl.ts';
import { type Connection, maxReplyBytes } from './connection.ts';
import { fetchItems, type Items, nil, type Response } from './imap-fetch.ts';
import { keptBytes, MailboxProblem, type Server } from './protocol.ts';
import { noTokens, refused, refusedLogin, refusedToken, wordsOf } from './refusal.ts';

/** Responses to one command; a search result is one. */
const maxResponses = 20_000;
const maxLine = 64 * 1024;
/** The UIDs of half a million messages. */
const maxSearchLine = 4 * 1024 * 1024;
const maxLiterals = 100;
/** A server may ignore that a part of a message was asked for. */
const maxMessageBytes = 64 * 1024 * 1024;

type Result = { status: 'OK' | 'NO' | 'BAD'; words: string };

type Expected = {
  untagged?: (response: Response) => void;
  /** What is sent at each continuation request. */
  answers?: Buffer[];
  maxBytes?: number;
};

export class ImapSession {
  readonly #connection: Connection;
  #capabilities = new Set<string>();
  #count = 0;
  /** What the server wants a person to read. */
  #alert = '';
  #isSignedIn = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async greet(): Promise<void> {
    this.#connection.expect();
    const line = text(await this.#connection.line(keptBytes));
    const [, status, words] = /^\* (OK|PREAUTH|BYE)\b ?(.*)$/i.exec(line) ?? [];
    if (status === undefined) throw this.#connection.fail('the greeting is not that of an IMAP server');
    this.#connection.greeted();
    if (/^BYE$/i.test(status)) throw refused(wordsOf(words!));
    this.#isSignedIn = /^PREAUTH$/i.test(status);
  }

  async secure(server: Server): Promise<void> {
    const { status, words } = await this.command('STARTTLS');
    if (status === 'OK' && !this.#isSignedIn) return this.#connection.secure(server);
    throw new MailboxProblem(`the server does not support STARTTLS${words && `; it replied: ${words}`}`);
  }

  async signIn(user: string, password: string): Promise<void> {
    if (this.#isSignedIn) return;
    await this.#askCapabilities();
    const credentials = Buffer.from(`\0${user}\0${password}`).toString('base64');
    const { status, words } = this.has('AUTH=PLAIN')
      ? await this.command('AUTHENTICATE PLAIN', { answers: [Buffer.from(`${credentials}\r\n`)] })
      : await this.#login(user, password);
    if (status === 'BAD') throw refused(this.#withAlert(words));
    if (status === 'NO') throw refusedLogin(this.#withAlert(words));
    await this.#askCapabilities();
  }

  /** By XOAUTH2, else OAUTHBEARER (RFC 7628). The error of a token comes in a challenge, and is refused after another line. */
  async signInWithToken(user: string, token: string): Promise<void> {
    if (this.#isSignedIn) return;
    await this.#askCapabilities();
    const isX = this.has('AUTH=XOAUTH2');
    if (!isX && !this.has('AUTH=OAUTHBEARER')) throw new MailboxProblem(noTokens);
    const first = Buffer.from((isX ? xoauth2 : oauthBearer)(user, token)).toString('base64');
    const command = `AUTHENTICATE ${isX ? 'XOAUTH2' : 'OAUTHBEARER'}`;
    const afterError = Buffer.from(isX ? '\r\n' : 'AQ==\r\n');
    const { status, words } = this.has('SASL-IR')
      ? await this.command(`${command} ${first}`, { answers: [afterError] })
      : await this.command(command, { answers: [Buffer.from(`${first}\r\n`), afterError] });
    if (status !== 'OK') throw refusedToken(this.#withAlert(words).replaceAll(token, '***'));
    await this.#askCapabilities();
  }

  has(capability: string): boolean {
    return this.#capabilities.has(capability);
  }

  /** @throws MailboxProblem with the server's words unless it is done */
  async need(command: string, expected?: Expected): Promise<void> {
    const { status, words } = await this.command(command, expected);
    if (status !== 'OK') throw refused(words);
  }

  async command(command: string, { untagged, answers = [], maxBytes = maxReplyBytes }: Expected = {}): Promise<Result> {
    const tag = `p${++this.#count}`;
    this.#connection.expect(maxBytes);
    this.#connection.write(`${tag} ${command}\r\n`);
    let bye = '';
    for (let count = 0; count < maxResponses; count++) {
      const response = await this.#response().catch((error: unknown) => {
        throw bye === '' ? error : refused(bye);
      });
      const head = response[0] as string;
      if (head.startsWith('+')) {
        const answer = answers.shift();
        if (answer) this.#connection.write(answer);
        continue;
      }
      const [, of, status = '', words = ''] = /^(\S+) (OK|NO|BAD|BYE)\b ?(.*)$/i.exec(head) ?? [];
      if (of === tag) return { status: status.toUpperCase() as Result['status'], words: wordsOf(utf8(words)) };
      if (of === '*' && /^\[ALERT\]/i.test(words)) this.#alert = wordsOf(utf8(words));
      if (of === '*' && /^BYE$/i.test(status)) bye = wordsOf(utf8(words)) || 'BYE';
      if (head.startsWith('* ')) untagged?.([head.slice(2), ...response.slice(1)]);
    }
    throw this.#connection.fail('the server sends responses without end');
  }

  /** A string as an argument of a command: quoted, or none if it needs a literal. */
  static quoted(value: string): string | undefined {
    return /^[ -~]*$/.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : undefined;
  }

  async fetch(uid: string): Promise<Buffer | { why: string }> {
    let body: string | Buffer | undefined;
    let isUnclear = false;
    const { status, words } = await this.command(`UID FETCH ${uid} (UID BODY.PEEK[]<0.${keptBytes}>)`, {
      maxBytes: maxMessageBytes,
      untagged: (response) => {
        const items = itemsOf(uid, response);
        if (items === null) isUnclear = true;
        const found = items?.get('BODY[]<0>') ?? items?.get('BODY[]');
        if (found !== undefined && found !== nil) body ??= found;
      },
    });
    if (status !== 'OK') return { why: refused(words).message };
    if (body === undefined && isUnclear) return { why: 'the answer of the server was not understood' };
    if (body === undefined || (body.length === 0 && !(await this.#isEmpty(uid))))
      return { why: 'the server sends no content' };
    return typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
  }

  /** Whether the message has no content, and the server has not just failed to send it. */
  async #isEmpty(uid: string): Promise<boolean> {
    let size: string | Buffer | undefined;
    await this.command(`UID FETCH ${uid} (UID RFC822.SIZE)`, {
      untagged: (response) => {
        size ??= itemsOf(uid, response)?.get('RFC822.SIZE');
      },
    });
    return size === '0';
  }

  async #askCapabilities(): Promise<void> {
    await this.command('CAPABILITY', {
      untagged: ([head]) => {
        const [, list] = /^CAPABILITY (.*)$/i.exec(head as string) ?? [];
        if (list !== undefined) this.#capabilities = new Set(list.toUpperCase().trim().split(/ +/));
      },
    });
  }

  #login(user: string, password: string): Promise<Result> {
    const [name, word] = [ImapSession.quoted(user), ImapSession.quoted(password)];
    if (this.has('LOGINDISABLED')) throw new MailboxProblem('the server allows no login without encryption');
    if (name !== undefined && word !== undefined) return this.command(`LOGIN ${name} ${word}`);
    const [userBytes, passwordBytes] = [Buffer.from(user), Buffer.from(password)];
    return this.command(`LOGIN {${userBytes.length}}`, {
      answers: [
        Buffer.concat([userBytes, Buffer.from(` {${passwordBytes.length}}\r\n`)]),
        Buffer.concat([passwordBytes, Buffer.from('\r\n')]),
      ],
    });
  }

  #withAlert(words: string): string {
    return this.#alert === '' || words.includes(this.#alert) ? words : `${words} ${this.#alert}`.trim();
  }

  /** A line; one that ends with the size of a literal continues after it. Of its literals, 2 MiB are kept. */
  async #response(): Promise<Response> {
    const response: Response = [];
    let kept = 0;
    for (let literals = 0; ; literals++) {
      const line = text(await this.#connection.line(maxSearchLine));
      if (line.length > maxLine && !/^\* SEARCH\b/i.test(line))
        throw this.#connection.fail('the server sends a line without end');
      response.push(line);
      const isPlain = literals === 0 && !/^\* (?!(OK|NO|BAD|BYE|PREAUTH)\b)/i.test(line);
      const [, size] = (!isPlain && /\{(\d{1,15})\+?\}$/.exec(line)) || [];
      if (size === undefined) return response;
      if (literals === maxLiterals) throw this.#connection.fail('the server sends literals without end');
      const literal = await this.#connection.bytes(Number(size), Math.min(keptBytes, 2 * keptBytes - kept));
      kept += literal.length;
      response.push(literal);
    }
  }
}

/** A byte for each character, as IMAP counts. */
const text = (bytes: Buffer): string => bytes.toString('latin1');
const utf8 = (line: string): Buffer => Buffer.from(line, 'latin1');

/** The items of a FETCH response about this message, or about none that it names. */
function itemsOf(uid: string, response: Response): Items | null | undefined {
  const items = fetchItems(response);
  if (items === null) return null;
  return (items?.get('UID') ?? uid) === uid ? items : undefined;
}
