// The first look at everything an export contains: lists with the fields and types that their values fit, contacts by state, and
// the addresses that get no email of any list. The second look (stage.ts) needs them from its first contact on. Pure but for
// reading the items.
import { parseMailbox } from '../audience/address.ts';
import { maxFields } from '../audience/fields/change.ts';
import { type Field, readFieldText } from '../audience/model/field.ts';
import { isReservedTag } from '../audience/model/tag.ts';
import type { ContactState, Item, NotTaken, SourceContact, SourceField, SuppressedFor } from './files/item.ts';

/** A field of a list, with its tag here. */
export type MovedField = { key: string; tag: string; name: string; type: SourceField['type'] };

export type SurveyedList = {
  key: string;
  name: string;
  fields: MovedField[];
  states: Partial<Record<ContactState, number>>;
};

export type Remark = { list: string; value: string; reason: NotTaken | 'too_many_fields' };

/** What counts more when an address is suppressed for several reasons. */
const weight: Record<SuppressedFor, number> = { manual: 0, unsubscribe: 1, bounce: 2, complaint: 3 };

export class Survey {
  readonly lists = new Map<string, SurveyedList>();
  /** By the normal form of the address, or by what was given if it is none. */
  readonly suppressed = new Map<string, SuppressedFor>();
  templates = 0;
  /** Things that have been looked at. */
  count = 0;
  readonly #remark: (remark: Remark) => void;
  readonly #names = new Set<string>();

  /** @param remark takes what is not taken */
  constructor(remark: (remark: Remark) => void) {
    this.#remark = remark;
  }

  add(item: Item): void {
    this.count++;
    if (item.kind === 'list') this.#addList(item.key, item.name, item.fields);
    else if (item.kind === 'contact') this.#addContact(item);
    else if (item.kind === 'suppression') this.#suppress(item.value, item.reason);
    else if (item.kind === 'template') this.templates++;
    else this.#remark({ list: this.lists.get(item.list)?.name ?? item.list, value: item.value, reason: item.reason });
  }

  /** The state of a contact, by what is known of its address on all lists. */
  stateOf({ email, state }: Pick<SourceContact, 'email' | 'state'>): Exclude<ContactState, 'complained'> {
    const reason = this.suppressed.get(keyOf(email));
    if (state === 'complained' || reason === 'complaint') return 'unsubscribed';
    if (state === 'unsubscribed') return state;
    if (state === 'bounced' || reason === 'bounce') return 'bounced';
    return reason === undefined ? state : 'unsubscribed';
  }

  #addList(key: string, name: string, fields: readonly SourceField[]): SurveyedList {
    const known = this.lists.get(key);
    const list = known ?? { key, name: this.#freeName(name), fields: [], states: {} };
    if (!known) this.lists.set(key, list);
    for (const field of fields) if (!list.fields.some((other) => other.key === field.key)) this.#addField(list, field);
    return list;
  }

  #freeName(given: string): string {
    const name = given.replace(/\s+/g, ' ').trim().slice(0, 190) || 'List';
    for (let no = 1; ; no++) {
      const free = no === 1 ? name : `${name} (${no})`;
      if (this.#names.has(free.toLowerCase())) continue;
      this.#names.add(free.toLowerCase());
      return free;
    }
  }

  #addField(list: SurveyedList, { key, name, type, tag }: SourceField): MovedField | undefined {
    // EMAIL is one of them.
    if (list.fields.length >= maxFields - 1) {
      if (!list.fields.some((field) => field.key === ''))
        this.#remark({ list: list.name, value: name, reason: 'too_many_fields' });
      return undefined;
    }
    const free = freeTag(tag || name || key, new Set(list.fields.map((other) => other.tag)));
    const field: MovedField = { key, tag: free, name: name.trim().slice(0, 100) || free, type };
    list.fields.push(field);
    return field;
  }

  #addContact(contact: SourceContact): void {
    const list = this.lists.get(contact.list) ?? this.#addList(contact.list, contact.list, []);
    list.states[contact.state] = (list.states[contact.state] ?? 0) + 1;
    for (const [key, value] of Object.entries(contact.values)) {
      if (value === '') continue;
      const field =
        list.fields.find((other) => other.key === key) ?? this.#addField(list, { key, name: key, type: 'text' });
      if (field && field.type !== 'text' && !fits(field, value)) field.type = 'text';
    }
    if (contact.state === 'complained') this.#suppress(contact.email, 'complaint');
    else if (contact.state === 'bounced') this.#suppress(contact.email, 'bounce');
  }

  #suppress(value: string, reason: SuppressedFor): void {
    const key = keyOf(value);
    const before = this.suppressed.get(key);
    if (before === undefined || weight[before] < weight[reason]) this.suppressed.set(key, reason);
  }
}

function keyOf(email: string): string {
  const address = parseMailbox(email.trim());
  return address.ok ? address.key : email.trim().toLowerCase();
}

const fits = ({ tag, name, type }: MovedField, value: string) =>
  readFieldText(
    {
      tag,
      name,
      type,
      mergeNo: 1,
      required: false,
      shown: true,
      position: 1,
      defaultValue: '',
      choices: [],
    } satisfies Field,
    value,
  ).ok;

/** A tag that no other field of the list has, from what the field is called there. */
export function freeTag(given: string, taken: ReadonlySet<string>): string {
  const letters = given
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const plain = (/^[A-Z]/.test(letters) ? letters : `F_${letters}`).slice(0, 20).replace(/_+$/, '');
  for (let no = 1; ; no++) {
    const end = no === 1 ? '' : `_${no}`;
    const tag = `${plain.slice(0, 20 - end.length)}${end}`;
    if (!taken.has(tag) && !isReservedTag(tag)) return tag;
  }
}
