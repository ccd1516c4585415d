// What goes into compiling a campaign, and the compiled message: what a launch freezes in the database, and all that
// rendering a recipient's mail needs. Plain data that survives JSON as it is: texts of the author with typed slots
// between them. Made by compile.ts; read by show.ts (pages, previews) and by delivery's renderer.
import type { Analytics } from './analytics.ts';
import type { MergeField } from './merge.ts';
import type { Place } from './places.ts';

/** All that a campaign's mail is made of. Texts may hold merge tags, except the facts of the lists. */
export type CampaignContent = {
  html?: string;
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
  /** What the link of an UNSUB, UPDATE_PROFILE or ARCHIVE tag in running text says. */
  words: Record<OwnAddress, string>;
  /** Where this installation is reached, without a slash at the end. */
  baseUrl: string;
  /** The campaign's public page. */
  archiveUrl: string;
  /** Public ids. */
  campaign: string;
  account: string;
  unsubscribeMailbox?: string;
};

/** Where the public addresses of a recipient's mail begin under the base URL; each is followed by a token. */
export const paths = { click: '/c/', open: '/o/', unsubscribe: '/u/', profile: '/p/', view: '/v/' } as const;

export type OwnAddress = 'unsubscribe' | 'profile' | 'view';
export type ListFact = 'name' | 'company' | 'address' | 'url';

/**
 * field    a value of the recipient; `otherwise` is what stands for an empty one
 * date     the moment of sending, by format letters
 * list     a fact of the list that the recipient is reached through, where the campaign's lists differ in it
 * own      an address of the recipient's own; with `words` a whole link saying these
 * link     a tracked link: the click address of entry `link` of the link table
 * pixel    the whole image element that counts an opening
 */
export type Slot =
  | { slot: 'field'; tag: string; otherwise: string; place: Place }
  | { slot: 'date'; format: string; place: Place }
  | { slot: 'list'; fact: ListFact; place: Place }
  | { slot: 'own'; address: OwnAddress; place: Place; words?: string }
  | { slot: 'link'; link: number; place: 'attribute' | 'plain' }
  | { slot: 'pixel' };

export type Piece = string | Slot;

/**
 * A distinct target. Text with merge tags in it (`*|TAG:otherwise|*`, the default percent-encoded) is a template that
 * is filled from the contact's values when the link is opened. `html` and `text` count its places in the two parts.
 */
export type Link = { target: string; html: number; text: number };

export type CompiledList = { id: number; publicId: string } & Record<ListFact, string>;

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
  /** Mailbox that takes unsubscribe mails, or ''. */
  unsubscribeMailbox: string;
  /** Names of tags that mean nothing; they are empty in the mail. */
  unknownTags: string[];
};

/** The address of a link before the recipient's token and after it. */
export function clickAddress(baseUrl: string, link: number): [before: string, after: string] {
  return [baseUrl + paths.click, link.toString(36)];
}

/** The image element that counts an opening, before the recipient's token and after it. */
export function pixelElement(baseUrl: string): [before: string, after: string] {
  return [
    `<img src="${baseUrl}${paths.open}`,
    '" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">',
  ];
}

/** The tokens of a recipient's addresses, made by tracking/tokens.ts: characters of base64url only. */
export type Tokens = Record<keyof typeof paths, string>;

/** Whom a message is filled for. */
export type Recipient = {
  email: string;
  emailType: 'html' | 'text';
  /** Field values by tag. */
  values: Readonly<Record<string, string>>;
  /** Id of the list that the recipient is reached through. */
  list: number;
};
