// The contents of the single messages of a chunk: complete when they were stored, but for the recipient's tokens, which are
// written over the places left for them. A content is read once for all its recipients and kept as long as the chunk.
import { unseal } from '../../accounts/installation/seal.ts';
import type { App } from '../../base/context.ts';
import { senderOf } from '../../base/relay/message-sender.ts';
import { type Database, sql } from '../../db/connect.ts';
import type { Chunk, Marked } from '../ledger/chunk.ts';
import type { Content } from './content.ts';
import { noticeFieldsOf } from './notice-fields.ts';
import type { Renderer } from './render.ts';

/** The public id of a single message: the id of its day's owner and the seq of its first recipient, in hexadecimal. */
export function numberOfMessage(id: string): number {
  return Number.parseInt(id.slice(8), 16);
}

/** What the content of a message of the program is sealed as. */
export const sealedAs = (account: number): string => `message of ${account}`;

/** The content was sealed with a SEAL_KEY that this process does not have. Another worker may have it. */
export class ContentSealed extends Error {}

export class MessageContents {
  readonly #app: App;
  readonly #db: Database;
  readonly #chunk: Chunk;
  readonly #contents = new Map<number, Promise<Content | undefined>>();

  constructor(app: App, db: Database, chunk: Chunk) {
    this.#app = app;
    this.#db = db;
    this.#chunk = chunk;
  }

  /**
   * Resolves with undefined when the message is gone.
   * @throws ContentSealed
   */
  get({ occasion = '' }: Marked): Promise<Content | undefined> {
    const no = numberOfMessage(occasion);
    const known = this.#contents.get(no);
    if (known) return known;
    const content = readMessage(this.#app, this.#db, this.#chunk, no);
    content.catch(() => this.#contents.delete(no));
    this.#contents.set(no, content);
    return content;
  }
}

type Row = { content: Buffer; clickAt: number[]; openAt: number[]; fromEmail: string; test: boolean };

async function readMessage(
  app: App,
  db: Database,
  { account, campaign }: Chunk,
  no: number,
): Promise<Content | undefined> {
  const row = await db.row<Row & { sealed: boolean }>(sql`
    select content, click_at as "clickAt", open_at as "openAt", from_email as "fromEmail", test, via = 'system' as sealed
    from message
    where account_id = ${account}
      and campaign_id = ${campaign}
      and no = ${no}
      and content is not null`);
  if (!row) return undefined;
  const opened = row.sealed ? unseal(app, sealedAs(account), row.content) : undefined;
  if (opened === null) throw new ContentSealed();
  const renderer = rendererOf(opened === undefined ? row : { ...row, content: Buffer.from(opened, 'latin1') });
  return {
    rendererOf: () => renderer,
    host: row.fromEmail.slice(row.fromEmail.lastIndexOf('@') + 1),
    fromEmail: row.fromEmail,
    sender: senderOf(account, row.fromEmail),
    lists: [],
    isTest: row.test,
    noticeFields: await noticeFieldsOf(db, account),
    bytes: row.content.length,
  };
}

function rendererOf({ content, clickAt, openAt }: Pick<Row, 'content' | 'clickAt' | 'openAt'>): Renderer {
  const headSize = content.indexOf('\r\n\r\n') + 4;
  const size = content.length;
  const hasDots = content.includes('\r\n.');
  return {
    render({ tokens, fields = '' }, take = Buffer.allocUnsafe) {
      // The recipient's own fields go first.
      const start = fields.length;
      const memory = take(start + size);
      memory.write(fields, 'latin1');
      content.copy(memory, start);
      for (const at of clickAt) memory.write(tokens.click, start + at, 'latin1');
      for (const at of openAt) memory.write(tokens.open, start + at, 'latin1');
      return {
        head: memory.subarray(0, start + headSize),
        body: memory.subarray(start + headSize, start + size),
        size: start + size,
        whole: memory.subarray(0, start + size),
        memory,
        hasDots,
      };
    },
  };
}
