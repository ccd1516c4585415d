// Mailboxes on loopback: an IMAP server (hoodiecrow) and a POP3 server, each with one user and one mailbox. With a certificate,
// they take the password only after STARTTLS or STLS.
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Certificate } from '../smtp-sink/certificate.ts';

export type MailServer = {
  port: number;
  /** The messages in the mailbox now. */
  messages(): string[];
  add(raw: string): void;
  /** Sign-ins, each with whether it was encrypted. */
  signIns: { encrypted: boolean }[];
  close(): Promise<void>;
};

export const mailUser = { user: 'bounces@sender.example', password: 'correct horse' };

type Handler = (connection: { secureConnection: boolean }, ...rest: unknown[]) => void;
type HoodiecrowMessage = { raw: string | Buffer };
type Hoodiecrow = {
  server: Server;
  listen(port: number, host: string, done: () => void): void;
  appendMessage(path: string, flags: string[], date: Date, raw: string): void;
  getMailbox(path: string): { messages: HoodiecrowMessage[] };
  close(done: () => void): void;
  users: Record<string, { xoauth2: { accessToken: string } }>;
  getCommandHandler(command: string): Handler;
  setCommandHandler(command: string, handler: Handler): void;
};

/** Whether an access token is taken; with it, the server takes no password. */
export type IsValid = (token: string) => boolean;

export async function startImapServer(
  raws: readonly string[],
  certificate?: Certificate,
  isValid?: IsValid,
): Promise<MailServer> {
  const hoodiecrow = createRequire(import.meta.url)('hoodiecrow-imap') as (options: object) => Hoodiecrow;
  const signIns: MailServer['signIns'] = [];
  const server = hoodiecrow({
    plugins: [
      ...['ID', 'UIDPLUS', 'SASL-IR', 'NAMESPACE', 'UNSELECT'],
      ...(certificate ? ['STARTTLS', 'LOGINDISABLED'] : ['AUTH-PLAIN']),
      ...(isValid ? ['XOAUTH2', (made: Hoodiecrow) => judgeTokens(made, signIns, isValid)] : []),
      (made: Hoodiecrow) => recordLogins(made, signIns),
    ],
    ...(certificate && { credentials: { key: certificate.key, cert: certificate.cert } }),
    users: {
      [mailUser.user]: { password: mailUser.password, xoauth2: { accessToken: '', sessionTimeout: 3_600_000 } },
    },
    storage: { INBOX: { messages: raws.map((raw) => ({ raw: withCrLf(raw) })) } },
  });
  // It writes a reply in pieces, and each would wait 40 ms for the client to acknowledge the one before.
  server.server.on('connection', (socket: Socket) => socket.setNoDelay(true));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    messages: () => server.getMailbox('INBOX').messages.map(({ raw }) => raw.toString()),
    signIns,
    add: (raw) => server.appendMessage('INBOX', [], new Date(), withCrLf(raw)),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Hoodiecrow knows one token of a user: it is the one that is given, if that is valid. */
function judgeTokens(server: Hoodiecrow, signIns: MailServer['signIns'], isValid: IsValid): void {
  const authenticate = server.getCommandHandler('AUTHENTICATE XOAUTH2');
  server.setCommandHandler('AUTHENTICATE XOAUTH2', (connection, ...rest) => {
    const [{ attributes }] = rest as [{ attributes: { value: string }[] }];
    const given = Buffer.from(attributes[0]?.value ?? '', 'base64').toString();
    const token = /auth=Bearer ([^\x01]*)/.exec(given)?.[1] ?? '';
    signIns.push({ encrypted: connection.secureConnection });
    server.users[mailUser.user]!.xoauth2.accessToken = isValid(token) ? token : 'none';
    authenticate(connection, ...rest);
  });
}

function recordLogins(server: Hoodiecrow, signIns: MailServer['signIns']): void {
  const login = server.getCommandHandler('LOGIN');
  server.setCommandHandler('LOGIN', (connection, ...rest) => {
    signIns.push({ encrypted: connection.secureConnection });
    login(connection, ...rest);
  });
}

/** RFC 1939 with UIDL, STLS of RFC 2595. Deletions count after QUIT. Sends in small pieces, as a network may. */
export async function startPop3Server(
  raws: readonly string[],
  certificate?: Certificate,
  isValid?: IsValid,
): Promise<MailServer> {
  const signIns: MailServer['signIns'] = [];
  let serial = 0;
  let mailbox = raws.map((raw) => ({ id: `id${++serial}`, raw: withCrLf(raw) }));
  const server = createServer((plain) => {
    let socket: Socket | TLSSocket = plain;
    const present = [...mailbox];
    const deleted = new Set<number>();
    let user = '';
    let signedIn = false;
    /** What the next line is, as part of a sign-in with a token. */
    let expects: 'token' | 'end of error' | undefined;
    let buffer = '';
    const send = (text: string) => {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 700) socket.write(bytes.subarray(at, at + 700));
    };
    plain.setNoDelay(true);
    plain.on('error', () => {});
    const answer = (line: string) => {
      const [verb = '', argument = ''] = line.split(/ (.*)/s);
      const number = Number(argument);
      const message = deleted.has(number) ? undefined : present[number - 1];
      const command = verb.toUpperCase();
      if (expects === 'token') {
        const given =
          /^user=(.*?)\x01auth=Bearer ([^\x01]*)\x01\x01$/.exec(Buffer.from(line, 'base64').toString()) ?? [];
        signIns.push({ encrypted: socket !== plain });
        signedIn = given[1] === mailUser.user && isValid!(given[2]!);
        expects = signedIn ? undefined : 'end of error';
        send(signedIn ? '+OK signed in\r\n' : `+ ${Buffer.from('{"status":"400"}').toString('base64')}\r\n`);
      } else if (expects === 'end of error') {
        expects = undefined;
        send('-ERR [AUTH] the token is not valid\r\n');
      } else if (isValid && line === 'AUTH XOAUTH2') {
        expects = 'token';
        send('+ \r\n');
      } else if (command === 'QUIT') {
        if (signedIn)
          mailbox = mailbox.filter((kept) => !present.some((had, index) => had === kept && deleted.has(index + 1)));
        socket.end('+OK bye\r\n');
      } else if (command === 'STLS' && certificate && socket === plain) {
        // Bytes after the reply are what an attacker on the path would add: they must not be taken for a reply under TLS.
        plain.write('+OK begin TLS\r\n+OK injected\r\n-ERR injected\r\n');
        plain.removeAllListeners('data');
        socket = new TLSSocket(plain, { ...certificate, isServer: true });
        listen();
      } else if (certificate && socket === plain) send('-ERR STLS first\r\n');
      else if (command === 'USER') {
        user = argument;
        send('+OK\r\n');
      } else if (command === 'PASS') {
        signIns.push({ encrypted: socket !== plain });
        signedIn = user === mailUser.user && argument === mailUser.password;
        send(signedIn ? '+OK signed in\r\n' : '-ERR wrong\r\n');
      } else if (!signedIn) send('-ERR sign in first\r\n');
      else if (command === 'UIDL')
        send(`+OK\r\n${present.map(({ id }, index) => `${index + 1} ${id}\r\n`).join('')}.\r\n`);
      else if (command === 'RETR' && message) send(`+OK\r\n${message.raw.replace(/^\./gm, '..')}\r\n.\r\n`);
      else if (command === 'DELE' && message) {
        deleted.add(number);
        send('+OK\r\n');
      } else send('-ERR\r\n');
    };
    const listen = () => {
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        buffer += bytes.toString();
        for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
          const line = buffer.slice(0, end);
          buffer = buffer.slice(end + 2);
          answer(line);
        }
      });
    };
    listen();
    socket.write('+OK ready\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    messages: () => mailbox.map(({ raw }) => raw),
    signIns,
    add: (raw) => mailbox.push({ id: `id${++serial}`, raw: withCrLf(raw) }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const withCrLf = (raw: string) => raw.replace(/\r?\n/g, '\r\n');
