// The SMTP server that receives returned messages. Accepts only valid addresses of the bounce domain, and replies 250 only
// after the effects are committed.
// Everything is limited: connections in all and per host, the time of a session, messages and wrong addresses a minute per host,
// size, recipients per message. Mail servers in front of it are not limited per host.
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { callerName } from '../../accounts/access/attempts.ts';
import type { App } from '../../base/context.ts';
import { listenProblem } from '../../base/listen-problem.ts';
import { Quota } from '../../base/quota.ts';
import { isUnavailable } from '../../db/connect.ts';
import { type ReturnAddress, readReturnAddress } from '../../delivery/message/return-path.ts';
import { isOurs, takeReturned } from '../record/intake.ts';
import type { Taken } from '../record/taken.ts';
import { frontServers } from './front-servers.ts';

/** A notice may hold all of the mail that it is about. */
const maxBytes = 10 * 1024 * 1024;
/** What of it is kept: bounce.ts reads no further. */
const keptBytes = 1024 * 1024;
const connectionLimits = { total: 100, perCaller: 10 };
/** A client that keeps a session open longer is disconnected: one byte a minute is no silence. */
const maxSessionMs = 5 * 60_000;
const maxRecipients = 5;
/** A relay that returns thousands of messages after a large campaign is no attack. */
const maxMessagesPerMinute = 3_000;
const maxRefusalsPerMinute = 100;
/** DMARC reports of all hosts together: to read a large one takes some 100 ms. */
const maxReportsPerMinute = 200;

export type BounceListener = { port: number; close(): Promise<void> };

/** @param port 0 takes any free one */
export async function startBounceListener(
  app: App,
  port = app.config.bouncePort,
  sessionMs = maxSessionMs,
): Promise<BounceListener> {
  if (app.config.bounceDomain === '') throw new Error('Set BOUNCE_DOMAIN to receive bounces.');
  const isFront = frontServers(app.config.trustProxy);
  const messages = counter(maxMessagesPerMinute, isFront);
  const refusals = counter(maxRefusalsPerMinute, isFront);
  const reports = counter(maxReportsPerMinute, () => false);
  const open = new Quota(connectionLimits);
  // A front server is limited by the total only: each of its connections counts as a caller of its own.
  const callerOf = ({ id, remoteAddress }: SMTPServerSession) =>
    isFront(remoteAddress) ? `front ${id}` : callerName(remoteAddress);
  const counted = new WeakSet<SMTPServerSession>();
  const wanted = new WeakMap<SMTPServerSession, Map<string, ReturnAddress>>();

  const server = new SMTPServer({
    name: app.config.bounceDomain,
    banner: 'Postrider takes returned mail',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: maxBytes,
    logger: false,
    disableReverseLookup: true,
    socketTimeout: 60_000,
    closeTimeout: 1_000,
    onConnect(session, callback) {
      if (refusals.isFull(session.remoteAddress)) return callback(reply(421, '4.7.0 Too many wrong addresses'));
      if (!open.take(callerOf(session))) return callback(reply(421, '4.7.0 Too many connections'));
      counted.add(session);
      callback();
    },
    onClose(session) {
      if (counted.delete(session)) open.release(callerOf(session));
    },
    onMailFrom(_address, session, callback) {
      wanted.set(session, new Map());
      callback();
    },
    onRcptTo({ address }, session, callback) {
      const host = session.remoteAddress;
      if (refusals.isFull(host)) return callback(reply(421, '4.7.0 Too many wrong addresses'));
      const chosen = wanted.get(session) ?? new Map<string, ReturnAddress>();
      if (chosen.size >= maxRecipients) return callback(reply(452, '4.5.3 Too many recipients'));
      const to = readReturnAddress(app.config, address);
      genuine(app, to).then(
        (known) => {
          if (!known || !to) {
            refusals.add(host);
            return callback(reply(550, '5.1.1 There is no such address here'));
          }
          chosen.set(address.toLowerCase(), to);
          wanted.set(session, chosen);
          callback();
        },
        (error) => callback(later(app, error)),
      );
    },
    onData(stream, session, callback) {
      const pieces: Buffer[] = [];
      let kept = 0;
      stream.on('data', (piece: Buffer) => {
        if (kept < keptBytes) pieces.push(piece);
        kept += piece.length;
        // A little more is read, to be refused with 552; a client that sends without end is disconnected.
        if (kept > 2 * maxBytes) disconnect(server, session);
      });
      stream.on('end', () => {
        if (stream.sizeExceeded) return callback(reply(552, '5.3.4 The mail is too large'));
        if (messages.isFull(session.remoteAddress)) return callback(reply(451, '4.7.0 Too many messages, try later'));
        messages.add(session.remoteAddress);
        const targets = [...(wanted.get(session)?.values() ?? [])];
        if (targets.some(({ kind }) => kind === 'dmarc')) {
          if (reports.isFull('all')) return callback(reply(451, '4.7.0 Too many reports, try later'));
          reports.add('all');
        }
        const raw = Buffer.concat(pieces).subarray(0, keptBytes);
        take(app, targets, raw, session.remoteAddress).then(
          (taken) => {
            if (taken.every((target) => target.kind === 'refused')) {
              refusals.add(session.remoteAddress);
              return callback(reply(550, '5.7.1 This message is not accepted here'));
            }
            callback();
          },
          (error) => callback(later(app, error)),
        );
      });
    },
  });
  limitSessions(server, sessionMs);
  server.on('error', (error) => app.log.debug({ err: error }, 'a connection of returned mail failed'));
  await listen(server, port, app.config.bounceHost);
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Closes connections that last longer. */
function limitSessions(server: SMTPServer, sessionMs: number): void {
  server.server.on('connection', (socket) => {
    const tooLong = setTimeout(() => socket.destroy(), sessionMs);
    socket.once('close', () => clearTimeout(tooLong));
  });
}

function listen(server: SMTPServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(listenProblem(error, { host, port }, { host: 'BOUNCE_HOST', port: 'BOUNCE_PORT' }));
    server.once('error', fail);
    server.listen(port, host, () => {
      server.removeListener('error', fail);
      resolve();
    });
  });
}

type Connection = { session: SMTPServerSession; close(): void };

function disconnect(server: SMTPServer, session: SMTPServerSession): void {
  for (const connection of (server as unknown as { connections: Set<Connection> }).connections)
    if (connection.session === session) connection.close();
}

async function genuine(app: App, to: ReturnAddress | null): Promise<boolean> {
  if (to === null) return false;
  if (to.kind !== 'bounce') return true;
  return isOurs(app, to.token);
}

/** One after another: a message to two addresses is two notices. */
async function take(app: App, to: readonly ReturnAddress[], raw: Buffer, ip: string): Promise<Taken[]> {
  const taken: Taken[] = [];
  for (const address of to) {
    const result = await takeReturned(app, address, raw, ip);
    app.log.info({ to: address.kind, ip, ...result }, 'returned message processed');
    taken.push(result);
  }
  return taken;
}

const reply = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

function later(app: App, error: unknown): Error {
  if (!isUnavailable(error)) app.log.error({ err: error }, 'returned mail cannot be taken now');
  return reply(451, '4.3.0 Cannot be taken now, try later');
}

/** Counts by host over a minute; forgets all when it is over. @param isExempt hosts without a limit */
function counter(max: number, isExempt: (host: string) => boolean) {
  const counts = new Map<string, number>();
  let until = 0;
  const current = () => {
    if (performance.now() > until) {
      counts.clear();
      until = performance.now() + 60_000;
    }
    return counts;
  };
  return {
    isFull: (host: string) => !isExempt(host) && (current().get(host) ?? 0) >= max,
    add: (host: string) => void current().set(host, (counts.get(host) ?? 0) + 1),
  };
}
