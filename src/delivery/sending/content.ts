// The content of a campaign as it was frozen at its launch, and the Message-ID of each of its messages.
import type { Compiled } from '../../campaigns/compile/compiled.ts';
import { type Database, sql } from '../../db/connect.ts';
import type { InlineImage } from '../message/mime.ts';
import { prepare, type Renderer } from '../message/render.ts';
import type { Chunk } from './chunk.ts';

export type Content = { renderer: Renderer; host: string; fromEmail: string; lists: number[] };

const maxCachedCampaigns = 20;

/** @returns undefined when it was deleted with its campaign */
async function readContent(db: Database, chunk: Chunk): Promise<Content | undefined> {
  const row = await db.row<{ compiled: Compiled }>(sql`
    select compiled
    from frozen_content
    where account_id = ${chunk.account}
      and campaign_id = ${chunk.campaign}`);
  if (!row) return undefined;
  const { compiled } = row;
  const images = await db.rows<InlineImage>(sql`
    select cid, content_type as "contentType", bytes
    from inline_image
    where account_id = ${chunk.account}
      and campaign_id = ${chunk.campaign}
    order by cid`);
  return {
    renderer: prepare(compiled, images),
    host: compiled.fromEmail.slice(compiled.fromEmail.lastIndexOf('@') + 1),
    fromEmail: compiled.fromEmail,
    lists: compiled.lists.map((list) => list.id),
  };
}

/** The contents of the campaigns sent most recently. */
export class ContentCache {
  readonly #db: Database;
  readonly #contents = new Map<string, { hash: string | null | undefined; content: Promise<Content | undefined> }>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Resolves with undefined when the content was deleted with its campaign. */
  get(chunk: Chunk): Promise<Content | undefined> {
    const key = `${chunk.account}.${chunk.campaign}`;
    const cached = this.#contents.get(key);
    if (cached && cached.hash === chunk.contentHash) return cached.content;
    const content = readContent(this.#db, chunk);
    content.catch(() => this.#contents.delete(key));
    if (this.#contents.size > maxCachedCampaigns) this.#contents.delete(this.#contents.keys().next().value!);
    this.#contents.set(key, { hash: chunk.contentHash, content });
    return content;
  }

  drop(account: number, campaign: number): void {
    this.#contents.delete(`${account}.${campaign}`);
  }

  clear(): void {
    this.#contents.clear();
  }
}

/** The same for every attempt at a recipient, so that a copy after an unclear outcome is recognised as a duplicate. */
export function messageIdOf(chunk: Pick<Chunk, 'campaign'>, seq: number, token: string, host: string): string {
  return `<${chunk.campaign.toString(36)}.${seq.toString(36)}.${token}@${host}>`;
}
