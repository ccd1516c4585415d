// The lists of the preference page as readers read them: the public ones in their groups, also those that the contact is not on, and one
// box for all lists whose names are the owner's only. What saving the boxes means, by what the page showed. Pure.
import { formatId } from '../db/ids.ts';
import type { Entry } from './profile-fields.ts';

/** How readers read a list. */
export type ListForReaders = {
  listId: number;
  name: string;
  isPublic: boolean;
  title: string;
  description: string;
  group: string;
};

/** What a person ticks: one list, or all that have internal names. */
export type Box = {
  /** In the form. */
  name: string;
  title: string;
  description: string;
  group: string;
  entries: Entry[];
};

type Given = Readonly<Record<string, string>>;

/** What readers see of a list's name; undefined for an internal name. */
export const titleOf = ({ isPublic, title, name }: ListForReaders): string | undefined =>
  title !== '' ? title : isPublic ? name : undefined;

export const isOn = ({ subscription }: Entry): boolean => subscription.status === 'subscribed';
export const hasLeft = ({ subscription }: Entry): boolean => subscription.status === 'unsubscribed';
const isOffered = ({ subscription }: Entry): boolean => subscription.status === 'none';

/** The box of lists with internal names. */
const otherBox = 'list.other';

/**
 * Those without a heading first, then by group; by title within a group. Lists with internal names are in one box, at the end of those
 * without a heading.
 * @param other what the box of internal names is called
 */
export function boxesOf(entries: readonly Entry[], { other, language }: { other: string; language: string }): Box[] {
  const named = entries.filter(({ isInternal }) => !isInternal);
  const internal = entries.filter(({ isInternal }) => isInternal);
  const boxes = named.map(
    (entry): Box => ({
      name: `list.${formatId(entry.subscription.listId)}`,
      title: entry.list,
      description: entry.description,
      group: entry.group,
      entries: [entry],
    }),
  );
  if (internal.length > 0) boxes.push({ name: otherBox, title: other, description: '', group: '', entries: internal });
  const { compare } = new Intl.Collator(language, { numeric: true });
  return boxes.sort(
    (a, b) =>
      compare(a.group, b.group) ||
      Number(a.name === otherBox) - Number(b.name === otherBox) ||
      compare(a.title, b.title),
  );
}

export const isBoxOn = ({ entries }: Box): boolean => entries.some(isOn);

/** Whether a box that is not ticked can be: nothing is joined whose subscription ended by a bounce. */
export const mayJoin = (box: Box, mayRejoin: boolean): boolean => joinable(box, mayRejoin).length > 0;

const joinable = (box: Box, mayRejoin: boolean): Entry[] =>
  isBoxOn(box) || !mayRejoin ? [] : box.entries.filter((entry) => hasLeft(entry) || isOffered(entry));

/** The boxes that the page showed as ticked; undefined if the form does not say. */
export const shownTicks = (given: Given): ReadonlySet<string> | undefined =>
  given['was.lists'] === undefined ? undefined : new Set(given['was.lists'].split(' '));

export const ticksOf = (boxes: readonly Box[]): string =>
  boxes
    .filter(isBoxOn)
    .map(({ name }) => name)
    .join(' ');

const isTicked = (box: Box, given: Given): boolean => given[box.name] !== undefined;

/** A form that an earlier version showed names each list, and does not say what was ticked. */
const isTickedApart = ({ subscription }: Entry, given: Given): boolean =>
  given['was.lists'] === undefined && given[`list.${formatId(subscription.listId)}`] !== undefined;

/** What the person leaves: what the page showed as ticked, and is not. */
export function leavesOf(boxes: readonly Box[], given: Given): Entry[] {
  const shown = shownTicks(given);
  return boxes
    .filter((box) => !isTicked(box, given) && (shown?.has(box.name) ?? true))
    .flatMap(({ entries }) => entries.filter((entry) => isOn(entry) && !isTickedApart(entry, given)));
}

/** What it joins: what the page showed as not ticked, and is. */
export function joinsOf(boxes: readonly Box[], given: Given, mayRejoin: boolean): Entry[] {
  const shown = shownTicks(given);
  return boxes
    .filter((box) => isTicked(box, given) && !shown?.has(box.name))
    .flatMap((box) => joinable(box, mayRejoin));
}
