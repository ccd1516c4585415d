// What the preference page knows of a person: which lists it shows, and the values.

import { findSubscription } from '../audience/members/subscription.ts';
import { fieldsOf } from '../audience/model/field.ts';
import { readerName } from '../audience/model/reader-name.ts';
import { formOfList } from '../audience/signup/form.ts';
import type { Context } from '../base/context.ts';
import { publicPath } from '../base/public-paths.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { concernedByLink, subscriptionsOf } from '../delivery/leaving/leave.ts';
import { languageFor, text } from '../locales/text.ts';
import type { SubscriptionIds } from '../tracking/tokens.ts';
import type { Sender } from './page/page.ts';
import { senderOf } from './page/sender.ts';
import type { Entry } from './profile-fields.ts';
import { hasLeft, isOn, type ListForReaders, titleOf } from './reader-lists.ts';

export type Given = Readonly<Record<string, string>>;

/**
 * With `whole`, the page shows and changes everything. Otherwise it shows the lists of the token and no field values; the
 * contact can leave these lists and change language, format, pause and tracking, but not rejoin.
 */
export type ProfileIds = SubscriptionIds & { whole: boolean };

export type Profile = {
  email: string;
  contactId: number;
  /** The language the page speaks. */
  language: string;
  pausedUntil: Date | null;
  tracked: boolean;
  /** Whether a list that the contact is not on can be ticked. */
  mayRejoin: boolean;
  sender: Sender | undefined;
  /** What the box of lists with internal names is called. */
  other: string;
  /** What the contact is on first. */
  entries: Entry[];
  /** Of the lists that the contact has left: the address of the sign-up form, if it is open, and its title. */
  ways: ReadonlyMap<number, { href: string; title: string }>;
};

type ShownList = ListForReaders & { language: string; isMember: boolean };

/** More lists than this are not shown to a contact. */
const maxLists = 100;

/**
 * What the contact is on of all lists of the account, or of the token, and the public lists that it is not on. Lists that wait for a
 * confirmation are shown as not joined where they are public.
 * @param given a form that was sent: of lists that it joins, the fields are shown
 */
export async function profileOf(context: Context, of: ProfileIds, given: Given = {}): Promise<Profile | undefined> {
  const { tx, account } = context;
  const ids = await presentIds(context, of);
  const contact = await tx.row<{ email: string; language: string; pausedUntil: Date | null; tracked: boolean }>(sql`
    select email, language, not untracked as tracked, case when paused_until > now() then paused_until end as "pausedUntil"
    from contact
    where account_id = ${account.id}
      and id = ${ids.contact}`);
  const lists = contact ? await listsFor(context, ids) : [];
  const [first] = lists.filter(({ isMember }) => isMember);
  if (!contact || !first) return undefined;
  const language = languageFor(contact.language, first.language, account.language);
  const sender = await senderOf(tx, account.id, first.listId);
  // "Other" than what, where the page names no list.
  const namesLists = lists.some((list) => titleOf(list) !== undefined);
  const other = text(language, namesLists ? 'profile.other' : 'profile.all', { name: sender?.name ?? account.name });
  const entries: Entry[] = [];
  for (const list of lists) {
    const entry = await entryOf(context, ids, { list, email: contact.email, other, given });
    if (entry) entries.push(entry);
  }
  // What the contact is on counts for more than what it left, and that for more than what it is offered.
  const rank = (entry: Entry) => (isOn(entry) ? 0 : entry.subscription.status === 'none' ? 2 : 1);
  return {
    email: contact.email,
    contactId: ids.contact,
    language,
    pausedUntil: contact.pausedUntil,
    tracked: contact.tracked,
    mayRejoin: ids.whole,
    sender,
    other,
    ways: await waysBack(context, entries, language),
    entries: entries.toSorted((a, b) => rank(a) - rank(b)),
  };
}

/** The list of the link first, then by name. */
async function listsFor({ tx, account }: Context, ids: PresentIds): Promise<ShownList[]> {
  return tx.rows<ShownList>(sql`
    select l.id as "listId", l.name, l.is_public as "isPublic", l.public_title as title,
      l.public_description as description, l.public_group as "group", l.default_language as language,
      coalesce(s.status <> 'pending', false) as "isMember"
    from list l
    left join subscription s on s.account_id = l.account_id and s.list_id = l.id and s.contact_id = ${ids.contact}
    where l.account_id = ${account.id}
      and case
        when s.status <> 'pending' then ${ids.allLists} or l.id = any (${[...ids.lists]}::int[])
        else ${ids.whole} and l.is_public
      end
    order by coalesce(s.status <> 'pending', false) desc, l.id <> ${ids.lists[0] ?? 0},
      ${readerName(sql`l`)}, l.id
    limit ${maxLists}`);
}

/** A list on the page; undefined for one with an internal name that was left, unless the link is from an email of it. */
async function entryOf(
  context: Context,
  ids: PresentIds,
  { list, email, other, given }: { list: ShownList; email: string; other: string; given: Given },
): Promise<Entry | undefined> {
  const { listId, isMember, description, group } = list;
  const title = titleOf(list);
  const found = isMember ? await findSubscription(context, listId, formatId(ids.contact)) : undefined;
  if (found?.status === 'unsubscribed' && title === undefined && !ids.lists.includes(listId)) return undefined;
  const subscription = found ?? { listId, email, emailType: 'html' as const, fields: {}, status: 'none' as const };
  const isAsked = found !== undefined || given[`list.${formatId(listId)}`] !== undefined;
  const all = ids.whole && isAsked ? await fieldsOf(context, listId) : [];
  // Who joins fills in what the list requires, as on its form.
  const fields = all.filter(({ tag, shown, required }) => tag !== 'EMAIL' && (shown || (required && !found)));
  return { subscription, list: title ?? other, description, group, isInternal: title === undefined, fields };
}

/** The sign-up forms that are open, of the lists that were left. */
async function waysBack(
  { app, tx, account }: Context,
  entries: readonly Entry[],
  language: string,
): Promise<Profile['ways']> {
  const ways = new Map<number, { href: string; title: string }>();
  for (const { subscription } of entries.filter(hasLeft)) {
    const form = await formOfList(tx, account.id, subscription.listId, language);
    if (form?.settings.enabled)
      ways.set(subscription.listId, {
        href: `${publicPath(app, `/subscribe/${form.key}`)}?ln=${form.language}`,
        title: form.text('form.title'),
      });
  }
  return ways;
}

type PresentIds = ProfileIds & { allLists: boolean };

/**
 * The contact that a link concerns now, which has another number if it was deleted and added again. If it is on no list of the
 * link, the page is about all its lists, as unsubscribing is.
 */
async function presentIds(context: Context, ids: ProfileIds): Promise<PresentIds> {
  const concerned = await concernedByLink(context, ids);
  const contact = concerned.contacts[0];
  if (!contact) return { ...ids, allLists: ids.whole };
  const named = await subscriptionsOf(context, { ...concerned, contacts: [contact] }, ids.lists);
  return { ...ids, contact: contact.id, allLists: ids.whole || named.length === 0 };
}
