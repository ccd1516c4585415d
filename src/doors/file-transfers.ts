// Uploads and downloads too large for a call: import files, exports, and the rows an import rejected. Streamed in both
// directions, and allowed for any caller that may make the call they belong to (API key, or session on our own pages).
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountById, isOperatorAccount } from '../accounts/account/account.ts';
import type { Credentials } from '../accounts/keys/authenticate.ts';
import { asSeenBy } from '../accounts/keys/lists.ts';
import { lackedBy, mayCall } from '../accounts/keys/permissions.ts';
import { csvLine, exportCondition, exportRows } from '../audience/export/rows.ts';
import { appendUpload, createUpload, maxUploadBytes, needUpload } from '../audience/import/file/upload.ts';
import type { Account, App, Caller } from '../base/context.ts';
import { Fault, fault, faultBody } from '../base/faults.ts';
import { languageOf, type MessageLanguage, message, renderMessage, renderPacked } from '../base/messages.ts';
import { type Database, isUnavailable, sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { countWrite } from '../db/standby/writes.ts';
import { usageParams } from '../delivery/daily/methods.ts';
import { usageCsv, usageOf } from '../delivery/daily/usage.ts';
import { readValue } from '../method/read-value.ts';
import { exportedAccount } from '../operator/export.ts';
import { bearerOf } from './admission/bearer.ts';
import { encodingOf } from './admission/body-reader.ts';
import { checkRate } from './admission/rate-limit.ts';
import { authenticateCaller } from './admission/refused-keys.ts';
import { originOf } from './admission/request-origin.ts';
import { sessionTokenOf } from './admission/session-cookie.ts';
import { whileAllowed } from './while-allowed.ts';

/** The methods that a transfer belongs to. */
type Transfer = Parameters<typeof mayCall>[1];
const uploads: Transfer = { group: 'imports', scope: 'write', narrowed: true };
const exports: Transfer = { group: 'members', scope: 'read', permission: 'contacts:export', narrowed: true };
const wholeAccounts: Transfer = { group: 'account', scope: 'admin', owner: true };
const rejectedRows: Transfer = { ...uploads, scope: 'read', permission: 'contacts:export' };

export function addFileTransfers(server: FastifyInstance, app: App) {
  server.register(async (door) => {
    door.removeAllContentTypeParsers();
    // The body is passed on as a stream, whatever its type.
    door.addContentTypeParser('*', { bodyLimit: maxUploadBytes }, (_request, payload, done) => done(null, payload));
    door.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
      const fault =
        error instanceof Fault
          ? error
          : isUnavailable(error)
            ? new Fault('UNAVAILABLE', message('call.database_unreachable'), 5)
            : undefined;
      if (!fault && (error.statusCode ?? 500) >= 500)
        app.log.error({ err: error, path: request.routeOptions.url }, 'transfer failed');
      if (fault?.retryAfter !== undefined) reply.header('retry-after', fault.retryAfter);
      const language = languageOf(request.headers['accept-language']);
      const text = message('door.transfer_failed');
      return reply
        .code(fault?.status ?? error.statusCode ?? 500)
        .send(fault ? faultBody(fault, language) : { error: renderMessage(text, language), code: -32603, text });
    });

    // The first part, or the whole file: ?name=friends.csv. Returns { id, size }.
    door.post('/upload', async (request, reply) => {
      needPlain(request);
      const { account, db } = await allow(app, request, reply, uploads);
      const { name } = request.query as { name?: string };
      const id = await createUpload(db, account.id, String(name ?? ''));
      const size = await appendUpload(db, account.id, id, 0, bodyOf(request));
      await countWrite(app.db, account.id);
      return reply.send({ id: formatId(id), size });
    });
    // Another part, or the rest after an interruption: ?at=SIZE.
    door.post('/upload/:id', async (request, reply) => {
      needPlain(request);
      const { account, db } = await allow(app, request, reply, uploads);
      const { id } = request.params as { id: string };
      const at = Number((request.query as { at?: string }).at ?? Number.NaN);
      if (!Number.isSafeInteger(at) || at < 0) throw fault('IMPORT_INVALID', 'upload.offset', { member: 'at' });
      const size = await appendUpload(db, account.id, parseId(id), at, bodyOf(request));
      await countWrite(app.db, account.id);
      return reply.send({ id, size });
    });
    door.get('/upload/:id', async (request, reply) => {
      const { account, db } = await allow(app, request, reply, { ...uploads, scope: 'read' });
      const { id } = request.params as { id: string };
      const { size } = await needUpload(db, account.id, parseId(id));
      return reply.send({ id, size });
    });

    door.get('/export/:file', async (request, reply) => {
      const { account, reads, again } = await allow(app, request, reply, exports);
      const { file } = request.params as { file: string };
      const query = request.query as { status?: string; segment?: string; bom?: string };
      const list = file.replace(/\.csv$/, '');
      const selection = {
        list,
        status: String(query.status ?? ''),
        segment: String(query.segment ?? ''),
        bom: query.bom === '1',
      };
      // Checked before the first byte is sent: a fault after that would be a broken file.
      await exportCondition(reads, account.id, selection);
      return download(reply, `list-${list}.csv`, whileAllowed(exportRows(reads, account.id, selection), again));
    });
    // As accountExport returns it: for the operator.
    door.get('/export/account/:file', async (request, reply) => {
      const { account, caller, again } = await allow(app, request, reply, wholeAccounts);
      if (!(await isOperatorAccount(app.db, account)))
        throw fault('NOT_ALLOWED', 'call.operator_only', { method: 'accountExport' });
      const { file } = request.params as { file: string };
      const id = file.replace(/\.jsonl$/, '');
      if (!(await wasExported(app.db, account, caller, id))) throw fault('NOT_ALLOWED', 'door.export_not_asked');
      if (!(await accountById(app.db, parseId(id))))
        throw fault('INVALID_PARAMETER', 'operator.account_unknown', { member: 'account', id: id.slice(0, 40) });
      return download(
        reply,
        `account-${id}.jsonl`,
        whileAllowed(exportedAccount(app.db, parseId(id)), again),
        'application/jsonl',
      );
    });
    // ?from=2026-01&to=2026-12&all=1, as in the method usage.
    door.get('/export/usage.csv', async (request, reply) => {
      const { account } = await allow(app, request, reply, { group: 'account', scope: 'admin' });
      const rows = await usageOf(app.db, account, readValue(usageParams, request.query));
      return download(reply, 'usage.csv', [usageCsv(rows)]);
    });
    door.get('/import/:id/errors.csv', async (request, reply) => {
      const { account, reads, again } = await allow(app, request, reply, rejectedRows);
      const { id } = request.params as { id: string };
      const exists = await reads.row(sql`
        select from import where account_id = ${account.id} and id = ${parseId(id)}`);
      if (!exists) throw fault('IMPORT_UNKNOWN', 'door.import_unknown', { id: id.slice(0, 40) });
      const lines = errorLines(reads, account.id, parseId(id), languageOf(request.headers['accept-language']));
      return download(reply, `import-${id}-errors.csv`, whileAllowed(lines, again));
    });
  });
}

/**
 * `db` is the database as the caller sees it, and `reads` the same where its statements that read may run on a standby. `again` fails when the caller may not go on: the key or session has ended, the right was
 * taken away, or the set of lists has changed.
 */
type Allowed = { account: Account; caller: Caller; db: Database; reads: Database; again(): Promise<void> };

/** The account of the caller; the transfer counts among its calls until it ends. @throws Fault KEY_INVALID, NOT_ALLOWED, TOO_MANY_CALLS */
async function allow(app: App, request: FastifyRequest, reply: FastifyReply, as: Transfer): Promise<Allowed> {
  const key = bearerOf(request.headers.authorization);
  const page = originOf(app, request.headers);
  const session = request.method === 'GET' || request.method === 'HEAD' ? page !== 'foreign' : page === 'own';
  const token = session ? sessionTokenOf(app, request) : undefined;
  const credentials: Credentials =
    key === undefined && token !== undefined
      ? { kind: 'session', token, ip: request.ip }
      : { kind: 'key', key, ip: request.ip };
  const { account, caller, writes } = await authenticateCaller(app, credentials);
  const release = checkRate(app, caller);
  if (reply.raw.closed) release();
  else reply.raw.once('close', release);
  needRights(caller, as);
  const again = async () => {
    const { caller: now } = await authenticateCaller(app, credentials);
    needRights(now, as);
    if (String(now.lists) !== String(caller.lists)) throw fault('NOT_ALLOWED', 'door.lists_changed');
  };
  const { db } = asSeenBy(app, caller);
  const reads = app.standby && writes ? app.standby.reads(db, { accountId: account.id, writes }) : db;
  return { account, caller, db, reads, again };
}

/** @throws Fault NOT_ALLOWED */
function needRights(caller: Caller, as: Transfer): void {
  if (!mayCall(caller, as)) throw fault('NOT_ALLOWED', 'door.missing_permission', { scope: lackedBy(caller, as) });
}

/** Whether the caller has called accountExport within the hour: that asks for the password, and its owner sees it in the log. */
async function wasExported(db: Database, { id }: Account, caller: Caller, exported: string): Promise<boolean> {
  const found = await db.row(sql`
    select
    from audit_entry
    where account_id = ${id}
      and lower(method) = 'accountexport'
      and subject = ${exported}
      and user_id is not distinct from ${caller.kind === 'user' ? caller.userId : null}
      and key_id is not distinct from ${caller.kind === 'key' ? caller.keyId : null}
      and at > now() - interval '1 hour'
    limit 1`);
  return found !== undefined;
}

/** An upload is stored as it arrives. @throws Fault ENCODING_UNSUPPORTED */
function needPlain({ headers }: FastifyRequest): void {
  if (encodingOf(headers['content-encoding']) !== 'identity')
    throw fault('ENCODING_UNSUPPORTED', 'door.encoding', { encodings: 'identity' });
}

function bodyOf(request: FastifyRequest): AsyncIterable<Uint8Array> {
  return (request.body as Readable | undefined) ?? Readable.from([]);
}

function download(reply: FastifyReply, name: string, lines: AsyncGenerator<string> | string[], type = 'text/csv') {
  return reply
    .type(`${type}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="${name.replace(/[^\w.-]/g, '')}"`)
    .header('cache-control', 'no-store')
    .send(Readable.from(lines, { objectMode: false }));
}

async function* errorLines(
  db: Database,
  accountId: number,
  importId: number,
  language: MessageLanguage,
): AsyncGenerator<string> {
  yield csvLine(['line', 'column', 'value', 'reason']);
  for (let after = 0; ; ) {
    const page: { id: number; line: number; heading: string; value: string; reason: string }[] = await db.rows(sql`
      select id, line, heading, value, reason
      from import_problem
      where account_id = ${accountId}
        and import_id = ${importId}
        and id > ${after}
      order by id
      limit 2000`);
    if (page.length > 0)
      yield page
        .map((row) => csvLine([String(row.line), row.heading, row.value, renderPacked(row.reason, language)]))
        .join('');
    if (page.length < 2_000) return;
    after = page.at(-1)!.id;
  }
}
