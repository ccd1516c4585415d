// The methods about the merge fields of a list.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { method } from '../../method/method.ts';
import { filledText, id, many, params, struct, text, truth, whole, word } from '../../method/params.ts';
import { needList } from '../lists/list.ts';
import { holdForChange } from '../segments/references.ts';
import { asksField, builtInField, type SegmentFilter } from '../segments/segment.ts';
import { type Field, fieldsOf, fieldTypes, readValue } from './field.ts';
import { renameTag } from './rename.ts';

/** Whether a tag has a meaning of its own in mails, segments or imports, so that no field may take it. */
export const isReservedTag = (tag: string) =>
  /^(EMAIL|EMAIL_TYPE|UNSUB|UPDATE_PROFILE|ARCHIVE|DATE|LIST|CAMPAIGN|STATUS|OPTINIP|OPTINTIME|LANGUAGE|TIMEZONE|MERGE\d*)$/.test(
    tag,
  ) || builtInField(tag) !== undefined;
export const maxFields = 60;

const options = {
  field_type: word('Type of the values.', fieldTypes).optional(),
  req: truth('Whether a value is required at sign-up.').optional(),
  public: truth('Whether contacts see the field in forms and on their preference page.').optional(),
  show: truth('The same as public.').optional(),
  order: whole('Place among the fields, from 1.', 1, 1_000).optional(),
  default_value: text('What stands in a mail when a contact has no value.', 500).optional(),
  choices: many('The values a dropdown offers.', filledText('One choice.', 200), 300).optional(),
};

export const fieldMethods = [
  method({
    name: 'listMergeVars',
    group: 'fields',
    summary: 'Returns the merge fields of a list in their order.',
    params: params({ id: id('The list.') }),
    returns: z.array(
      z.object({
        name: z.string(),
        req: z.boolean(),
        field_type: z.string(),
        show: z.boolean(),
        order: z.int(),
        default: z.string(),
        tag: z.string(),
        predefined_values: z.array(z.string()),
      }),
    ),
    faults: ['LIST_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{list}}' } },
    async run(context, { id: named }) {
      const list = await needList(context, named);
      return (await fieldsOf(context, list.id)).map((field) => ({
        name: field.name,
        req: field.required,
        field_type: field.type,
        show: field.shown,
        order: field.position,
        default: field.defaultValue,
        tag: field.tag,
        predefined_values: field.choices,
      }));
    },
  }),
  method({
    name: 'listMergeVarAdd',
    group: 'fields',
    summary: 'Adds a merge field to a list.',
    params: params({
      id: id('The list.'),
      tag: text('The tag, 1 to 20 letters, digits and underscores; stored in upper case.', 100),
      name: filledText('Name of the field, as people read it.', 100),
      options: struct('Settings of the field.', options, { fault: 'FIELD_INVALID' }).default({}),
    }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'FIELD_INVALID'],
    scope: 'write',
    example: { params: { id: '{{list}}', tag: 'CITY', name: 'City', options: { default_value: 'your town' } } },
    async run(context, { id: named, tag, name, options: given }) {
      const list = await needList(context, named);
      await holdForChange(context, list.id);
      const upper = checkTag(tag);
      const fields = await fieldsOf(context, list.id);
      if (fields.some((field) => field.tag === upper))
        throw new Fault('FIELD_INVALID', `tag: the list has a field ${upper} already`);
      if (fields.length >= maxFields)
        throw new Fault('FIELD_INVALID', `The list has ${maxFields} fields, which is as many as there can be`);
      const field: Field = {
        tag: upper,
        mergeNo: Math.max(...fields.map((one) => one.mergeNo)) + 1,
        name: name.trim(),
        type: given.field_type ?? 'text',
        required: given.req ?? false,
        shown: given.public ?? given.show ?? true,
        position: given.order ?? Math.max(...fields.map((one) => one.position)) + 1,
        defaultValue: '',
        choices: given.choices ?? [],
      };
      if (field.type === 'dropdown' && field.choices.length === 0)
        throw new Fault('FIELD_INVALID', 'options.choices: a dropdown needs at least one');
      if (given.default_value) field.defaultValue = readValue(field, given.default_value);
      await context.tx.run(sql`
        insert into field (account_id, list_id, tag, merge_no, name, field_type, required, shown, position, default_value, choices)
        values (${context.account.id}, ${list.id}, ${field.tag}, ${field.mergeNo}, ${field.name}, ${field.type}, ${field.required},
          ${field.shown}, ${field.position}, ${field.defaultValue}, ${field.choices}::text[])`);
      return true;
    },
  }),
  method({
    name: 'listMergeVarUpdate',
    group: 'fields',
    summary: 'Changes a merge field: its name, tag, and the options of listMergeVarAdd.',
    description:
      'With its tag a field is renamed in segments, autoresponders, the form and the texts of its list; in drafts the old tag stays, and their check names it. Not while a mail under way shows the field. A new type must fit the values that are there.',
    params: params({
      id: id('The list.'),
      tag: text('The tag of the field.', 100),
      options: struct(
        'What to change.',
        { name: filledText('New name.', 100).optional(), tag: text('New tag.', 100).optional(), ...options },
        { fault: 'FIELD_INVALID' },
      ),
    }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'FIELD_INVALID', 'EMAIL_FIELD_FIXED', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'write',
    example: { params: { id: '{{list}}', tag: 'FNAME', options: { name: 'Given name', req: true } } },
    async run(context, { id: named, tag, options: given }) {
      const { tx, account } = context;
      const list = await needList(context, named);
      await holdForChange(context, list.id);
      const fields = await fieldsOf(context, list.id);
      const before = needField(fields, tag);
      const newTag = given.tag === undefined ? before.tag : given.tag.toUpperCase();
      if (
        before.tag === 'EMAIL' &&
        (newTag !== 'EMAIL' || (given.field_type ?? 'email') !== 'email' || given.req === false)
      ) {
        throw new Fault('EMAIL_FIELD_FIXED', 'tag: EMAIL keeps its tag and type, and is always required');
      }
      if (newTag !== before.tag) {
        checkTag(newTag);
        if (fields.some((field) => field.tag === newTag))
          throw new Fault('FIELD_INVALID', `options.tag: the list has a field ${newTag} already`);
      }
      const after: Field = {
        ...before,
        tag: newTag,
        name: given.name?.trim() ?? before.name,
        type: given.field_type ?? before.type,
        required: given.req ?? before.required,
        shown: given.public ?? given.show ?? before.shown,
        position: given.order ?? before.position,
        choices: given.choices ?? before.choices,
      };
      if (after.type === 'dropdown' && after.choices.length === 0)
        throw new Fault('FIELD_INVALID', 'options.choices: a dropdown needs at least one');
      if (after.type !== before.type) await needFitting(context, list.id, before.tag, after);
      after.defaultValue = readValue(after, given.default_value ?? before.defaultValue);
      await tx.run(sql`
        update field
        set tag = ${after.tag}, name = ${after.name}, field_type = ${after.type}, required = ${after.required}, shown = ${after.shown},
          position = ${after.position}, default_value = ${after.defaultValue}, choices = ${after.choices}::text[]
        where account_id = ${account.id}
          and list_id = ${list.id}
          and tag = ${before.tag}`);
      if (after.tag !== before.tag) await renameTag(context, list.id, before.tag, after.tag);
      return true;
    },
  }),
  method({
    name: 'listMergeVarDel',
    group: 'fields',
    summary: 'Removes a merge field from a list, with all values. This cannot be undone.',
    description:
      'A segment that asks for the field must be changed or deleted first, and so must an active or paused autoresponder that goes by it.',
    params: params({ id: id('The list.'), tag: text('The tag of the field.', 100) }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'FIELD_INVALID', 'EMAIL_FIELD_FIXED', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'write',
    example: { params: { id: '{{list}}', tag: 'LNAME' } },
    async run(context, { id: named, tag }) {
      const { tx, account } = context;
      const list = await needList(context, named);
      await holdForChange(context, list.id);
      const field = needField(await fieldsOf(context, list.id), tag);
      if (field.tag === 'EMAIL') throw new Fault('EMAIL_FIELD_FIXED', 'tag: the e-mail field cannot be removed');
      await needUnused(context, list.id, field.tag);
      await tx.run(
        sql`delete from field where account_id = ${account.id} and list_id = ${list.id} and tag = ${field.tag}`,
      );
      await tx.run(sql`
        update subscription
        set fields = fields - ${field.tag}::text
        where account_id = ${account.id}
          and list_id = ${list.id}
          and fields ? ${field.tag}`);
      return true;
    },
  }),
];

function checkTag(tag: string): string {
  const upper = tag.trim().toUpperCase();
  if (!/^[A-Z][A-Z0-9_]{0,19}$/.test(upper))
    throw new Fault(
      'FIELD_INVALID',
      `tag: "${tag.slice(0, 40)}" is not 1 to 20 letters, digits and underscores that begin with a letter`,
    );
  if (isReservedTag(upper)) throw new Fault('FIELD_INVALID', `tag: ${upper} has a meaning of its own`);
  return upper;
}

function needField(fields: readonly Field[], tag: string): Field {
  const found = fields.find((field) => field.tag === tag.toUpperCase());
  if (!found)
    throw new Fault(
      'FIELD_INVALID',
      `tag: the list has no field "${tag.slice(0, 40)}"; it has ${fields.map((field) => field.tag).join(', ')}`,
    );
  return found;
}

/** What values that are kept look like, by type; of the other types any text is one. */
const patterns: Partial<Record<Field['type'], string>> = {
  number: '^[+-]?[0-9]{1,15}([.][0-9]{1,10})?$',
  date: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$',
  email: '^[^@[:space:]]+@[^@[:space:]]+[.][^@[:space:]]+$',
  website: '^https?://[^[:space:]<>"]+$',
  image: '^https?://[^[:space:]<>"]+$',
};

/** That the values a field has are of the type it is to have. @throws Fault FIELD_INVALID */
async function needFitting({ tx, account }: Context, listId: number, tag: string, after: Field): Promise<void> {
  const value = sql`fields ->> ${tag}`;
  const pattern = patterns[after.type];
  if (pattern === undefined && after.type !== 'dropdown') return;
  const fits = pattern === undefined ? sql`${value} = any (${after.choices}::text[])` : sql`${value} ~* ${pattern}`;
  const odd = await tx.row<{ count: number; example: string }>(sql`
    select count(*)::int as count, min(${value}) as example
    from subscription
    where account_id = ${account.id}
      and list_id = ${listId}
      and ${value} <> ''
      and not (${fits})`);
  if (odd && odd.count > 0)
    throw new Fault(
      'FIELD_INVALID',
      `options.field_type: ${odd.count} members have a value of ${tag} that is no ${after.type}, such as "${odd.example.slice(0, 40)}"; change them first`,
    );
}

/** That nothing asks for the values of a field: without them a segment would hold others. @throws Fault CAMPAIGN_STATE_CONFLICT */
async function needUnused({ tx, account }: Context, listId: number, tag: string): Promise<void> {
  const segments = await tx.rows<{ id: number; title: string; filter: SegmentFilter }>(sql`
    select id, title, filter
    from segment
    where account_id = ${account.id}
      and list_id = ${listId}
    order by id`);
  const asking = segments.filter((one) => asksField(one.filter, tag));
  if (asking.length > 0)
    throw new Fault(
      'CAMPAIGN_STATE_CONFLICT',
      `tag: ${tag} is asked for by segment ${asking.map((one) => `${formatId(one.id)} "${one.title}"`).join(', ')}; change or delete it first`,
    );
  const autoresponders = await tx.rows<{ id: number; title: string }>(sql`
    select c.id, c.title
    from campaign_list l
    join campaign c on c.account_id = l.account_id and c.id = l.campaign_id
    where l.account_id = ${account.id}
      and l.list_id = ${listId}
      and c.type = 'auto'
      and c.status not in ('draft', 'sent')
      and c.auto ->> 'tag' = ${tag}
    order by c.id`);
  if (autoresponders.length > 0)
    throw new Fault(
      'CAMPAIGN_STATE_CONFLICT',
      `tag: autoresponder ${autoresponders.map((one) => `${formatId(one.id)} "${one.title}"`).join(', ')} goes by the dates in ${tag}; stop or delete it first`,
    );
}
