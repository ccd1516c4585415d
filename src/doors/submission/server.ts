// SMTP submission (RFC 6409): programs that speak SMTP send single messages through the same method as all others. Never an
// open relay: nothing is taken without AUTH, whose password is an API key that may send, and only from senders of its account.
// The password is only asked for after STARTTLS, except on this machine. 250 means that the message is stored.

import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerAuthentication, type SMTPServerSession } from 'smtp-server';
import { callerName } from '../../accounts/access/attempts.ts';
import { mayCall } from '../../accounts/keys/permissions.ts';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { listenProblem } from '../../base/listen-problem.ts';
import { Quota } from '../../base/quota.ts';
import { isUnavailable } from '../../db/connect.ts';
import { maxAttachmentBytes, maxRecipients } from '../../messages/params.ts';
import { authenticateCaller } from '../admission/refused-keys.ts';
import { call, findMethod } from '../call.ts';

/** Attachments in Base64, and the text. */
const maxBytes = maxAttachmentBytes * 1.5;
const connectionLimits = { total: 200, perCaller: 50 };
/** A client that keeps a session open longer is disconnected: one byte a minute is no silence. */
const maxSessionMs = 10 * 60_000;

const closeMs = 1_000;

export type Submission = { port: number; close(): Promise<void> };

/** @param port 0 takes any free one */
export async function startSubmission(app: App, port = app.config.submissionPort): Promise<Submission> {
  const { submissionHost: host, submissionCert, submissionKey } = app.config;
  const tls =
    submissionCert === '' ? undefined : { cert: readFileSync(submissionCert), key: readFileSync(submissionKey) };
  const open = new Quota(connectionLimits);
  const counted = new WeakSet<SMTPServerSession>();
  const server = new SMTPServer({
    banner: 'Postrider takes messages for delivery',
    authMethods: ['PLAIN', 'LOGIN'],
    ...(tls ?? { disabledCommands: ['STARTTLS'] }),
    // Without a certificate it listens on this machine only (src/config.ts).
    allowInsecureAuth: tls === undefined,
    size: maxBytes,
    hideSMTPUTF8: true,
    logger: false,
    disableReverseLookup: true,
    socketTimeout: 60_000,
    closeTimeout: 2 * closeMs,
    onConnect(session, callback) {
      // RFC 4954 4: a client that is offered AUTH without TLS would send its key in clear text, and be refused too late.
      if (tls) session.disabledCommands = ['AUTH'];
      if (!open.take(callerName(session.remoteAddress))) return callback(reply(421, '4.7.0 Too many connections'));
      counted.add(session);
      callback();
    },
    onClose(session) {
      if (counted.delete(session)) open.release(callerName(session.remoteAddress));
    },
    onSecure(_socket, session, callback) {
      session.disabledCommands = [];
      callback();
    },
    onMailFrom(_address, session, callback) {
      // The library demands AUTH only where it offers it.
      const why =
        session.secure || !tls ? '5.7.0 Authentication required' : '5.7.0 Must issue a STARTTLS command first';
      callback(session.user === undefined ? reply(530, why) : null);
    },
    onAuth(auth, session, callback) {
      signIn(app, auth, session.remoteAddress).then(
        (user) => callback(null, { user }),
        (error) => callback(refusal(app, error)),
      );
    },
    onRcptTo(_address, session, callback) {
      const full = session.envelope.rcptTo.length >= maxRecipients;
      callback(full ? reply(452, '4.5.3 Too many recipients') : null);
    },
    onData(stream, session, callback) {
      const pieces: Buffer[] = [];
      let size = 0;
      stream.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size <= maxBytes) pieces.push(piece);
        // A little more is read, to be refused with 552; a client that sends without end is disconnected.
        if (size > 2 * maxBytes) stream.destroy(new Error('too large'));
      });
      stream.on('error', () => callback(reply(552, '5.3.4 The message is too large')));
      stream.on('end', () => {
        if (size > maxBytes) return callback(reply(552, '5.3.4 The message is too large'));
        submit(app, session, Buffer.concat(pieces)).then(
          (id) => callback(null, `2.0.0 Stored as ${id}`),
          (error) => callback(refusal(app, error)),
        );
      });
    },
  });
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket) => {
    sockets.add(socket);
    const tooLong = setTimeout(() => socket.destroy(), maxSessionMs).unref();
    socket.once('close', () => {
      clearTimeout(tooLong);
      sockets.delete(socket);
    });
  });
  server.on('error', (error) => app.log.debug({ err: error }, 'a connection of the submission server failed'));
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) =>
      reject(listenProblem(error, { host, port }, { host: 'SUBMISSION_HOST', port: 'SUBMISSION_PORT' }));
    server.once('error', fail);
    server.listen(port, host, () => {
      server.removeListener('error', fail);
      resolve();
    });
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        const late = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, closeMs);
        server.close(() => {
          clearTimeout(late);
          resolve();
        });
      }),
  };
}

/** @returns the key. @throws Fault KEY_INVALID, NOT_ALLOWED, TOO_MANY_CALLS */
async function signIn(app: App, { password }: SMTPServerAuthentication, ip: string): Promise<string> {
  const key = (password ?? '').trim();
  const { caller } = await authenticateCaller(app, { kind: 'key', key, ip });
  if (!mayCall(caller, findMethod('messageSendRaw'))) throw reply(535, '5.7.8 This API key may not send');
  return key;
}

async function submit(app: App, session: SMTPServerSession, source: Buffer): Promise<string> {
  const params = {
    source,
    recipients: session.envelope.rcptTo.map(({ address }) => address),
    ...idempotencyKeyOf(source),
  };
  const sent = await call(
    app,
    'messageSendRaw',
    params,
    { kind: 'key', key: session.user, ip: session.remoteAddress },
    'smtp',
  );
  return (sent as { id: string }).id;
}

/** SMTP clients repeat a message whose reply was lost: with the field Idempotency-Key there is still one. */
function idempotencyKeyOf(source: Buffer): { idempotency_key?: string } {
  const head = source
    .subarray(0, 64 * 1024)
    .toString('latin1')
    .split(/\r?\n\r?\n/, 1)[0]!;
  const [, key] = /^idempotency-key:[ \t]*(\S{1,100})[ \t]*\r?$/im.exec(head) ?? [];
  return key === undefined ? {} : { idempotency_key: key };
}

const reply = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

/** The reply for a failure: 4xx where a repeated attempt may succeed. */
function refusal(app: App, error: unknown): Error {
  if (error instanceof Error && 'responseCode' in error) return error;
  if (!(error instanceof Fault)) {
    if (!isUnavailable(error)) app.log.error({ err: error }, 'a submitted message cannot be taken now');
    return reply(451, '4.3.0 Cannot be taken now, try later');
  }
  const text = error.message.replace(/[^ -~]+/g, ' ').slice(0, 400);
  switch (error.fault) {
    case 'KEY_INVALID':
    case 'ACCOUNT_DISABLED':
      return reply(535, `5.7.8 ${text}`);
    case 'TOO_MANY_CALLS':
      return reply(451, `4.7.0 ${text}`);
    case 'UNAVAILABLE':
    case 'INTERNAL':
      return reply(451, `4.3.0 ${text}`);
    // As a full mailbox: there is room next month.
    case 'QUOTA_USED':
      return reply(452, `4.2.2 ${text}`);
    case 'TOO_LARGE':
      return reply(552, `5.3.4 ${text}`);
    case 'NOT_ALLOWED':
    case 'SENDING_NOT_ALLOWED':
    case 'CAMPAIGN_OPTION_INVALID':
      return reply(550, `5.7.1 ${text}`);
    default:
      return reply(554, `5.6.0 ${text}`);
  }
}
