// The types of compiling: what goes in (CampaignContent) and the compiled message. A compiled message is what a launch
// freezes in the database and all that rendering needs: the author's texts with typed slots between them, as plain JSON.
// Written by compile.ts; read by fill.ts (pages, previews) and by the delivery's renderer.
import type { Analytics } from './analytics.ts';
import type { DataPath, Json } from './data.ts';
import type { Place } from './escape.ts';
import type { MergeField } from './merge-tags.ts';

/** Everything a campaign's message is made of. All texts may contain merge tags, except those of the lists. */
export type CampaignContent = {
  html?: string;
  /** Copies the rules of style elements into style attributes. */
  inlineCss?: boolean;
  plain?: string;
  subject: string;
  fromName: string;
  fromEmail: string;
  replyTo: string;
  /** The display name of the To header, or ''. */
  toName: string;
  fields: readonly MergeField[];
  /** The lists that the campaign goes to, at least one. */
  lists: readonly CompiledList[];
  /** BCP 47, for day and month names. */
  language: string;
  timeZone: string;
  tracking: { opens: boolean; htmlClicks: boolean; textClicks: boolean };
  analytics?: Analytics | null;
  /** Put before and after the author's content. */
  header?: { html: string; plain: string };
  footer?: { html: string; plain: string };
  /** The texts of the links that UNSUB, UPDATE_PROFILE and ARCHIVE tags make in running text. */
  linkTexts: Record<PersonalAddress, string>;
  /** The public URL of this installation, without a slash at the end. */
  baseUrl: string;
  /** The campaign's public page. */
  archiveUrl: string;
  /** The targets of links that have numbers already, such as those of the variants before this one. */
  links?: readonly string[];
  /** Public ids. */
  campaign: string;
  account: string;
  unsubscribeMailbox?: string;
  /** The host in List-Id; that of the base URL without it. */
  listIdHost?: string;
};

/** Paths of the personal URLs in a message, under the base URL; each is followed by a token. */
export const paths = { click: '/c/', open: '/o/', unsubscribe: '/u/', profile: '/p/', view: '/v/' } as const;

export type PersonalAddress = 'unsubscribe' | 'profile' | 'view';
export type ListFact = 'name' | 'company' | 'address' | 'url';

/**
 * field     a value of the recipient; `fallback` replaces an empty one; `as`: not as it is stored
 * date      the time of sending, by format letters
 * list      a fact of the list that the recipient is reached through, if the campaign's lists differ in it
 * personal  a personal URL of the recipient; with `linkText` a whole link
 * link      a tracked link: the click URL of entry `link` of the link table; `perItem`: within a loop, with the number of the item;
 *           `whole`: its target begins with a value, and is tracked only if that is a web address
 * pixel     the whole image element that counts an open
 * data      a member of what a program sends; with `item`, `path` leads to a list, and `item` to a member of the item that a
 *           loop is at
 * each      the pieces once for each item of a list
 * choice    the pieces of the first branch whose condition holds; a branch without a condition holds for everyone
 */
export type Slot =
  | { slot: 'field'; tag: string; fallback: string; place: Place; as?: FieldWords }
  | { slot: 'date'; format: string; place: Place }
  | { slot: 'list'; fact: ListFact | 'reminder'; place: Place }
  | { slot: 'personal'; address: PersonalAddress; place: Place; linkText?: string }
  | { slot: 'link'; link: number; place: 'attribute' | 'plain'; perItem?: true; whole?: true }
  | { slot: 'pixel' }
  | DataSlot
  | Each
  | Choice;

/** How a stored value is written for people: the words for yes and no, or the names of a multiple choice. */
export type FieldWords = { yes: string; no: string } | 'choices';

export type DataSlot = DataPath & { slot: 'data'; item?: readonly string[]; fallback: string; place: Place };

export type Each = DataPath & { slot: 'each'; pieces: Piece[] };

export type Choice = { slot: 'choice'; branches: { when: When | null; pieces: Piece[] }[] };

/** A condition, or several joined by AND and OR: it holds when all of one group of `any` hold. */
export type When = Condition | { any: Condition[][]; negated: boolean };

/**
 * A test of a merge field, or of a member (`EVENT:total`, `ITEM:name`): that it is set, or how it compares with a value; has, lacks:
 * whether all names of the value are chosen in a multiple choice.
 */
export type Condition = {
  tag: string;
  operator: 'set' | '=' | '!=' | '>' | '<' | '>=' | '<=' | 'has' | 'lacks';
  value: string;
  negated: boolean;
};

export type Piece = string | Slot;

/**
 * A distinct target. Merge tags in it (`*|TAG:fallback|*`, the fallback percent-encoded) are filled with the contact's
 * values when the link is followed. `html` and `text` count its occurrences in the two parts.
 */
export type Link = { target: string; html: number; text: number };

/** `reminder`: why a contact gets the emails of the list. */
export type CompiledList = { id: number; publicId: string; reminder?: string } & Record<ListFact, string>;

export type Compiled = {
  version: 1;
  html: Piece[] | null;
  plain: Piece[] | null;
  subject: Piece[];
  fromName: Piece[];
  toName: Piece[];
  fromEmail: string;
  replyTo: string;
  links: Link[];
  lists: CompiledList[];
  language: string;
  timeZone: string;
  baseUrl: string;
  archiveUrl: string;
  /** Public ids, for headers. */
  campaign: string;
  account: string;
  /** Mailbox that accepts unsubscribe messages, or ''. */
  unsubscribeMailbox: string;
  listIdHost: string;
  /** Names of unknown tags; they are empty in the message. */
  unknownTags: string[];
  /** Conditions without a beginning or an end, or that cannot be read, as they were written. */
  badConditions: string[];
  /** Tags of loops that have no effect, as they were written, and why. */
  badLoops?: BadLoop[];
};

/**
 * open     it has no end
 * end      an end of no loop
 * nested   a loop within a loop
 * crossed  a condition begins within it and ends outside of it, or the other way round
 * outside  the item of a loop, but in no loop
 */
export type LoopProblem = 'open' | 'end' | 'nested' | 'crossed' | 'outside';
export type BadLoop = { text: string; problem: LoopProblem };

/** The click URL of a link: what comes before and after the recipient's token. @param item of a loop, from 0 */
export function clickAddress(baseUrl: string, link: number, item?: number): [before: string, after: string] {
  return [baseUrl + paths.click, link.toString(36) + (item === undefined ? '' : `-${item.toString(36)}`)];
}

/** The image element that counts an open: what comes before and after the recipient's token. */
export function pixelElement(baseUrl: string): [before: string, after: string] {
  return [
    `<img src="${baseUrl}${paths.open}`,
    '" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">',
  ];
}

/** The tokens of a recipient's addresses, made by tracking/tokens.ts: characters of base64url only. */
export type Tokens = Record<keyof typeof paths, string>;

/** The recipient that a message is filled for. */
export type Recipient = {
  email: string;
  emailType: 'html' | 'text';
  /** Field values by tag. */
  values: Readonly<Record<string, string>>;
  /** Values with members, by name: EVENT for the data of the event that let the recipient in. */
  data?: Readonly<Record<string, Json>>;
  /** Id of the list that the recipient is reached through. */
  list: number;
};
