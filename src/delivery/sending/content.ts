// The contents of campaigns as they were frozen at their launch, kept by a worker as long as there is room.
import { senderOf } from '../../base/relay/message-sender.ts';
import { readAttachments } from '../../campaigns/content/attachments.ts';
import type { Compiled } from '../../campaigns/markup/compiled.ts';
import { isWithin, readRanges } from '../../campaigns/model/division.ts';
import { type Database, sql } from '../../db/connect.ts';
import type { Chunk } from '../ledger/chunk.ts';
import type { Content, Reader } from '../message/content.ts';
import type { Attachment, InlineImage } from '../message/mime.ts';
import { noticeFieldsOf } from '../message/notice-fields.ts';
import { prepare, type Renderer } from '../message/render.ts';
import { untracked } from '../message/untracked.ts';

/** Hundreds of ordinary campaigns, or some with large images. */
const maxCachedBytes = 64 * 1024 * 1024;

/** @returns undefined when it was deleted with its campaign */
async function readContent(db: Database, chunk: Chunk): Promise<Content | undefined> {
  const variants = await db.rows<Variant>(sql`
    select compiled, length(compiled::text) as characters, recipients::text as recipients, language
    from frozen_content
    where account_id = ${chunk.account}
      and campaign_id = ${chunk.campaign}
    order by variant`);
  const [first] = variants;
  if (!first) return undefined;
  // Variants and revisions have the same sender and lists.
  const { compiled } = first;
  const images = await db.rows<InlineImage>(sql`
    select cid, content_type as "contentType", bytes
    from inline_image
    where account_id = ${chunk.account}
      and campaign_id = ${chunk.campaign}
    order by cid`);
  const attachments = await readAttachments(db, chunk);
  const account = await db.row<{ isTest: boolean }>(sql`
    select test_of is not null as "isTest" from account where id = ${chunk.account}`);
  return {
    rendererOf: rendererOf(variants, { images, attachments }),
    host: compiled.fromEmail.slice(compiled.fromEmail.lastIndexOf('@') + 1),
    fromEmail: compiled.fromEmail,
    sender: senderOf(chunk.account, compiled.fromEmail),
    lists: compiled.lists.map((list) => list.id),
    isTest: account?.isTest === true,
    noticeFields: await noticeFieldsOf(db, chunk.account),
    bytes:
      variants.reduce((sum, { characters }) => sum + characters * 2, 0) +
      images.reduce((sum, image) => sum + image.bytes.length * 2.5, 0) +
      // Those who get plain text get them too.
      attachments.reduce((sum, file) => sum + file.bytes.length * 5, 0),
  };
}

/** A variant of an A/B test, a revision, or the only one of a campaign; `recipients` are the numbers of those who get it. */
type Variant = { compiled: Compiled; characters: number; recipients: string | null; language: string };

type Files = { images: readonly InlineImage[]; attachments: readonly Attachment[] };

function rendererOf(variants: readonly Variant[], { images, attachments }: Files): (to: Reader) => Renderer {
  if (variants.length === 1) return tracking(variants[0]!.compiled, { images, attachments });
  const prepared = variants.map(({ compiled, recipients, language }) => {
    const text = JSON.stringify(compiled.html);
    return {
      language,
      ranges: recipients === null ? null : readRanges(recipients),
      renderer: tracking(compiled, { images: images.filter(({ cid }) => text.includes(cid)), attachments }),
    };
  });
  // A recipient of none is held and in no chunk; only a copy after a fail-over that lost the launch may be for one.
  return (to) => {
    const has = ({ ranges }: { ranges: readonly (readonly [number, number])[] | null }) =>
      ranges !== null && isWithin(ranges, to.seq);
    const own = to.language
      ? (prepared.find((one) => one.language === to.language && (one.ranges === null || has(one))) ??
        // Its revision does not have the language.
        prepared.find((one) => one.language === '' && has(one)))
      : prepared.find(has);
    return (own ?? prepared[0]!).renderer(to);
  };
}

/** Made ready for the few who are not tracked when there is one. */
function tracking(compiled: Compiled, files: Files): (to: Reader) => Renderer {
  const renderer = prepare(compiled, files);
  let plain: Renderer | undefined;
  return (to) => {
    if (!to.untracked) return renderer;
    plain ??= prepare(untracked(compiled), files);
    return plain;
  };
}

type Entry = { hash: string | null | undefined; content: Promise<Content | undefined>; bytes: number };

/** The contents of the campaigns sent most recently. */
export class ContentCache {
  readonly #read: (chunk: Chunk) => Promise<Content | undefined>;
  readonly #maxBytes: number;
  /** The one used last is last. */
  readonly #entries = new Map<string, Entry>();

  constructor(db: Database, read = (chunk: Chunk) => readContent(db, chunk), maxBytes = maxCachedBytes) {
    this.#read = read;
    this.#maxBytes = maxBytes;
  }

  /** Resolves with undefined when the content was deleted with its campaign. */
  get(chunk: Chunk): Promise<Content | undefined> {
    const key = `${chunk.account}.${chunk.campaign}`;
    const cached = this.#entries.get(key);
    const entry = cached && cached.hash === chunk.contentHash ? cached : this.#added(key, chunk);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.content;
  }

  #added(key: string, chunk: Chunk): Entry {
    const entry: Entry = { hash: chunk.contentHash, content: this.#read(chunk), bytes: 0 };
    entry.content.then(
      (content) => {
        entry.bytes = content?.bytes ?? 0;
        this.#shrink();
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry;
  }

  /** The one used last stays, however large it is. */
  #shrink(): void {
    let bytes = 0;
    for (const entry of this.#entries.values()) bytes += entry.bytes;
    for (const [key, entry] of this.#entries) {
      if (bytes <= this.#maxBytes || this.#entries.size === 1) return;
      bytes -= entry.bytes;
      this.#entries.delete(key);
    }
  }

  drop(account: number, campaign: number): void {
    this.#entries.delete(`${account}.${campaign}`);
  }

  clear(): void {
    this.#entries.clear();
  }
}
