// Copies of templates, segments and automations in another account of the same person, who may change both. The copy belongs to the
// other account alone: its pictures are stored there too, and nothing in it leads back. What could not be taken along is named.
import { personOf } from '../accounts/access/person.ts';
import { accountColumns } from '../accounts/account/account.ts';
import { noteAudit } from '../accounts/audit/audit.ts';
import { mayDo } from '../accounts/keys/permissions.ts';
import { fieldsOf } from '../audience/model/field.ts';
import { needList } from '../audience/model/list.ts';
import { builtInField, type Condition, isGroup, type SegmentFilter } from '../audience/model/segment.ts';
import { createSegment } from '../audience/segments/change.ts';
import { needSegment } from '../audience/segments/stored.ts';
import { createAutomation, updateAutomation } from '../automations/change.ts';
import { needAutomation } from '../automations/model/automation.ts';
import { hasArms, type Step } from '../automations/steps/steps.ts';
import { emailSettings } from '../automations/templates.ts';
import type { Trigger } from '../automations/triggers/triggers.ts';
import type { Account, Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { message, renderMessage } from '../base/messages.ts';
import { type Permission, permissionsOf, type Role } from '../base/permissions.ts';
import { assetNames, lockAssets } from '../campaigns/content/pictures/asset.ts';
import { newDraft } from '../campaigns/draft/create.ts';
import { createTemplate, type layouts } from '../campaigns/templates/template.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';

export type Copied = { id: string; left_out: string[] };
type LeftOut = Set<string>;

/** The context of a call in the other account. @throws Fault NOT_ALLOWED */
async function inAccount(context: Context, named: string, needed: Permission): Promise<Context> {
  const { tx, caller } = context;
  const { userId, lists } = personOf(caller);
  if (lists !== null) throw fault('NOT_ALLOWED', 'copy.set_of_lists', { member: 'account' });
  const row = await tx.row<Account & { role: Role; chosen: string[] | null }>(sql`
    select ${accountColumns}, membership.role, membership.permissions as chosen
    from account
    join membership on membership.account_id = account.id
    where account.id = ${parseId(named)}
      and membership.user_id = ${userId}
      -- Who sees some lists of an account only copies nothing there.
      and membership.lists is null
      and account.active`);
  if (!row || row.id === context.account.id) throw fault('NOT_ALLOWED', 'copy.no_such_account', { member: 'account' });
  const { role, chosen, ...account } = row;
  const permissions = permissionsOf(role, chosen);
  if (!mayDo({ permissions }, needed))
    throw fault('NOT_ALLOWED', 'copy.may_not_write', { member: 'account', name: row.name });
  return { ...context, account, caller: { ...personOf(caller), role, permissions } };
}

/** The accounts into which the person may copy, with their lists. */
export async function copyTargets({ tx, account, caller }: Context) {
  if (personOf(caller).lists !== null) return [];
  const rows = await tx.rows<{
    id: number;
    name: string;
    role: Role;
    permissions: string[] | null;
    lists: { id: number; name: string }[];
  }>(sql`
    select a.id, a.name, m.role, m.permissions, (
        select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'name', l.name) order by lower(l.name), l.id), '[]')
        from (
          select id, name from list where account_id = a.id order by lower(name), id limit 1000
        ) as l
      ) as lists
    from account a
    join membership m on m.account_id = a.id
    where m.user_id = ${personOf(caller).userId}
      and m.lists is null
      and a.active
      and a.id <> ${account.id}
    order by lower(a.name), a.id`);
  const writable = rows.filter(({ role, permissions }) => {
    const held = permissionsOf(role, permissions);
    return held.includes('campaigns:write') || held.includes('contacts:write');
  });
  return writable.map(({ id, name, lists }) => ({
    ...{ id: formatId(id), name },
    lists: lists.map((list) => ({ id: formatId(list.id), name: list.name })),
  }));
}

/** Writes into the log of the other account what came into it. */
function noteCopy({ tx, caller, account }: Context, method: string, copy: string, from: Account): Promise<void> {
  const { userId, ip } = personOf(caller);
  return noteAudit(tx, {
    ...{ accountId: account.id, userId, door: 'web', method, subject: copy, ip },
    detail: { name: `from ${from.name}`.slice(0, 200) },
  });
}

/** HTML with its pictures in the other account. */
async function withPictures(from: Context, to: Context, html: string): Promise<string> {
  const names = assetNames(html, from.account.id);
  if (names.length === 0) return html;
  await lockAssets(to.tx, to.account.id);
  await to.tx.run(sql`
    insert into asset (account_id, name, content_type, sandbox, bytes)
    select ${to.account.id}::int, name, content_type, sandbox, bytes
    from asset
    where account_id = ${from.account.id}
      and name = any (${names}::text[])
    on conflict do nothing`);
  return html.replaceAll(`/asset/${formatId(from.account.id)}/`, `/asset/${formatId(to.account.id)}/`);
}

/** @throws Fault TEMPLATE_UNKNOWN, NOT_ALLOWED */
export async function copyTemplate(context: Context, given: { template_id: string; account: string }): Promise<Copied> {
  const { tx, account } = context;
  const original = await tx.row<{
    name: string;
    layout: (typeof layouts)[number];
    source: string;
    subject: string;
    alias: string;
  }>(sql`
    select name, layout, source, subject, coalesce(alias, '') as alias
    from template
    where account_id = ${account.id}
      and id = ${parseId(given.template_id)}`);
  if (!original)
    throw fault('TEMPLATE_UNKNOWN', 'content.template_unknown', {
      member: 'template_id',
      id: given.template_id.slice(0, 40),
    });
  const other = await inAccount(context, given.account, 'campaigns:write');
  const { alias, ...taken } = original;
  const id = await createTemplate(other, { ...taken, source: await withPictures(context, other, original.source) });
  await noteCopy(other, 'templateCopy', id, account);
  const left = alias === '' ? [] : [renderMessage(message('copy.alias', { alias }), context.language)];
  return { id, left_out: left };
}

/** @throws Fault SEGMENT_INVALID, LIST_UNKNOWN, NOT_ALLOWED */
export async function copySegment(
  context: Context,
  given: { id: string; account: string; list: string },
): Promise<Copied> {
  const original = await needSegment(context, given.id);
  const other = await inAccount(context, given.account, 'contacts:write');
  const list = await needList(other, given.list, 'list');
  // Without one of its conditions it would choose other people.
  const missing = [...foreignIn(original.filter, new Set((await fieldsOf(other, list.id)).map(({ tag }) => tag)))];
  if (missing.length > 0)
    throw fault('SEGMENT_INVALID', 'copy.segment_needs', { member: 'list', names: missing.join(', ') });
  const id = await createSegment(other, {
    ...{ list: given.list, title: original.title, match: original.match, filter: original.filter, auto_update: true },
  });
  await noteCopy(other, 'segmentCopy', id, context.account);
  return { id, left_out: [] };
}

/** What conditions ask for that another list does not have: fields by their tags, and campaigns, links and lists. */
function foreignIn(filter: SegmentFilter, tags: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  for (const item of filter) {
    if (isGroup(item)) for (const name of foreignIn(item.filter, tags)) found.add(name);
    else if (isForeign(item, tags)) found.add(item.field);
  }
  return found;
}

const ofAccount: ReadonlySet<string> = new Set([
  'opened',
  'clicked',
  'not_opened',
  'was_sent',
  'failed',
  'clicked_link',
  'list',
]);

const isForeign = ({ field }: Condition, tags: ReadonlySet<string>): boolean => {
  const known = builtInField(field);
  return known === undefined ? !tags.has(field.toUpperCase()) : ofAccount.has(known);
};

/** @throws Fault AUTOMATION_UNKNOWN, LIST_UNKNOWN, NOT_ALLOWED */
export async function copyAutomation(
  context: Context,
  given: { id: string; account: string; list: string },
): Promise<Copied> {
  const original = await needAutomation(context, given.id);
  const other = await inAccount(context, given.account, 'campaigns:write');
  const list = await needList(other, given.list, 'list');
  const tags = new Set((await fieldsOf(other, list.id)).map(({ tag }) => tag));
  const left: LeftOut = new Set();
  const copy = new AutomationCopy(context, other, { list: list.id, tags, left });
  const id = await createAutomation(other, { title: original.title, list: given.list });
  const { trigger, reentry, goal, steps } = original.definition;
  if (goal) copy.look(goal.filter);
  await updateAutomation(other, {
    ...{ id, reentry, trigger: trigger && copy.trigger(trigger), steps: await copy.steps(steps) },
    goal: goal && { ...goal, filter: copy.kept(goal.filter) },
  });
  await noteCopy(other, 'automationCopy', id, context.account);
  return { id, left_out: [...left] };
}

class AutomationCopy {
  readonly #from: Context;
  readonly #to: Context;
  readonly #of: { list: number; tags: ReadonlySet<string>; left: LeftOut };

  constructor(from: Context, to: Context, of: { list: number; tags: ReadonlySet<string>; left: LeftOut }) {
    this.#from = from;
    this.#to = to;
    this.#of = of;
  }

  #leave(key: 'copy.field' | 'copy.condition' | 'copy.segment' | 'copy.campaign' | 'copy.list', name = ''): void {
    this.#of.left.add(renderMessage(message(key, { name }), this.#from.language));
  }

  /** Names what conditions ask for that the other list does not have. */
  look(filter: SegmentFilter): void {
    for (const name of foreignIn(filter, this.#of.tags)) this.#leave('copy.condition', name);
  }

  /** The conditions that the other list can answer. */
  kept(filter: SegmentFilter): SegmentFilter {
    return filter.flatMap((item): SegmentFilter => {
      if (!isGroup(item)) return isForeign(item, this.#of.tags) ? [] : [item];
      const inner = this.kept(item.filter);
      return inner.length === 0 ? [] : [{ ...item, filter: inner }];
    });
  }

  trigger(trigger: Trigger): Trigger {
    if (trigger.type === 'segment' && trigger.segment !== '') {
      this.#leave('copy.segment');
      return { ...trigger, segment: '' };
    }
    if (trigger.type === 'clicked' && trigger.campaign !== '') {
      this.#leave('copy.campaign');
      return { ...trigger, campaign: '' };
    }
    if ('field' in trigger) this.#field(trigger.field);
    return trigger;
  }

  #field(tag: string): void {
    if (tag !== '' && !this.#of.tags.has(tag.toUpperCase())) this.#leave('copy.field', tag);
  }

  async steps(steps: readonly Step[]): Promise<Step[]> {
    const copied: Step[] = [];
    for (const step of steps) copied.push(await this.#step(step));
    return copied;
  }

  async #step(step: Step): Promise<Step> {
    if (hasArms(step)) {
      this.look(step.filter);
      const arms = { yes: await this.steps(step.yes), no: await this.steps(step.no) };
      return { ...step, ...arms, filter: this.kept(step.filter) } as Step;
    }
    if (step.type === 'send' && step.campaign !== '') return { ...step, campaign: await this.#email(step.campaign) };
    if (step.type === 'set_field') this.#field(step.field);
    if ((step.type === 'add_to_list' || step.type === 'remove_from_list') && step.list !== '') {
      const name = await this.#from.tx.row<{ name: string }>(sql`
        select name from list where account_id = ${this.#from.account.id} and id = ${parseId(step.list)}`);
      this.#leave('copy.list', name?.name ?? step.list);
      return { ...step, list: '' };
    }
    return step;
  }

  /** The draft of an email with the text of the original and the sender of the other list; '' when there is no original. */
  async #email(named: string): Promise<string> {
    const { tx, account } = this.#from;
    const original = await tx.row<{
      subject: string;
      title: string;
      html: string;
      versions: number;
      attached: number;
    }>(sql`
      select subject, title, html,
        (select count(*)::int from campaign_variant v where v.account_id = c.account_id and v.campaign_id = c.id) as versions,
        (select count(*)::int from campaign_attachment a where a.account_id = c.account_id and a.campaign_id = c.id) as attached
      from campaign c
      where account_id = ${account.id}
        and id = ${parseId(named)}
        and type <> 'message'`);
    if (!original) return '';
    const { subject, title, versions, attached } = original;
    const html = await withPictures(this.#from, this.#to, original.html);
    const cid = await newDraft(this.#to, {
      list: this.#of.list,
      subject,
      title,
      html,
      fallbackName: this.#to.account.name,
    });
    await this.#to.tx.run(sql`
      update campaign c
      set type = 'auto', auto = ${JSON.stringify(emailSettings)}, preview_text = o.preview_text
      from campaign o
      where c.account_id = ${this.#to.account.id}
        and c.id = ${parseId(cid)}
        and o.account_id = ${account.id}
        and o.id = ${parseId(named)}`);
    const { left } = this.#of;
    const language = this.#from.language;
    left.add(renderMessage(message('copy.sender', { title }), language));
    if (versions > 0) left.add(renderMessage(message('copy.versions', { title }), language));
    if (attached > 0) left.add(renderMessage(message('copy.attachments', { title }), language));
    return cid;
  }
}
