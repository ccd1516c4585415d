// Reads and changes the sign-up form of a list.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { Page } from '../../method/paging.ts';
import { confirmationsOf } from '../confirmation/confirmation-count.ts';
import { type Field, fieldsOf } from '../model/field.ts';
import type { StoredForm } from '../model/list.ts';
import { needList } from '../model/list.ts';
import { snippet } from './fields-html.ts';
import { type FormChanges, formOfList, readSettings } from './form.ts';
import { needLanguage, needText, needTextName, setText } from './list-texts.ts';
import type { OwnText } from './texts.ts';

/** Texts of the form that are options of listFormUpdate. */
const formTexts = {
  title: 'form.title',
  intro: 'form.intro',
  about: 'form.about',
  consent: 'form.consent',
  thanks: 'form.thanks',
  button: 'form.button',
} as const;

type FormTextOption = keyof typeof formTexts;
type Optional<T> = { [K in keyof T]?: T[K] | undefined };
export type FormOptions = Optional<Omit<StoredForm, 'further_lists'>> & {
  further_lists?: string[] | undefined;
  texts?: { name: string; language: string; value: string }[] | undefined;
} & Optional<Record<FormTextOption, string>>;

/** The form's URL, its HTML for another site, and its settings. */
export async function showForm(context: Context, { id, language: requested }: { id: string; language: string }) {
  const list = await needList(context, id);
  const language = needLanguage(requested);
  const form = (await formOfList(context.tx, context.account.id, list.id, language || undefined))!;
  const url = `${context.app.baseUrl}/subscribe/${form.key}`;
  const settings = readSettings(await storedForm(context, list.id));
  const html = snippet(form, language === '' ? url : `${url}?ln=${language}`);
  return {
    url,
    html,
    inline_html: `${html}<script src="${context.app.baseUrl}/forms.js" async></script>\n`,
    settings: {
      enabled: settings.enabled,
      fields: form.fields.map((field) => field.tag),
      hidden_fields: form.hidden.map((field) => field.tag).filter((tag) => settings.hiddenFields.includes(tag)),
      title: form.text('form.title'),
      intro: form.text('form.intro'),
      consent: form.text('form.consent'),
      ask_consent: settings.consent,
      button: form.text('form.button'),
      thanks: form.text('form.thanks'),
      redirect_url: settings.redirect,
      origins: settings.origins,
      send_welcome: settings.sendWelcome,
      send_goodbye: settings.sendGoodbye,
      remind_after_days: settings.remindAfterDays,
      further_lists: form.lists.slice(1).map((further) => formatId(further.id)),
      list_choice: settings.choose ? 'choose' : 'all',
      check_domain: settings.checkDomain,
      picture_url: settings.picture,
      picture_alt: settings.pictureAlt,
      about: form.text('form.about'),
    },
    confirmations: await confirmationsOf(context, list.id),
  };
}

/** The forms of all lists, in the order of their creation, as far as a table shows them. */
export async function formsOfAccount(context: Context, { start, limit }: Page) {
  const rows = await context.tx.rows<{ id: number; name: string; key: string; form: StoredForm }>(sql`
    select id, name, form_key as key, form
    from list
    where account_id = ${context.account.id}
    order by created_at, id
    limit ${limit}
    offset ${start * limit}`);
  return rows.map(({ id, name, key, form }) => {
    const settings = readSettings(form);
    return {
      list: formatId(id),
      list_name: name,
      url: `${context.app.baseUrl}/subscribe/${key}`,
      enabled: settings.enabled,
      send_welcome: settings.sendWelcome,
      send_goodbye: settings.sendGoodbye,
    };
  });
}

export async function updateForm(
  context: Context,
  { id, options }: { id: string; options: FormOptions },
): Promise<true> {
  const list = await needList(context, id);
  const { form, texts } = await changesOf(context, list.id, options);
  for (const { name, language, value, member } of texts) await setText(context, list.id, name, language, value, member);
  await context.tx.run(sql`
    update list
    set form = form || ${JSON.stringify(form)}::jsonb
    where account_id = ${context.account.id}
      and id = ${list.id}`);
  return true;
}

type TextChange = OwnText & { member: string };

/** What these options change, checked, and not saved. @throws Fault LIST_OPTION_INVALID */
export async function changesOf(
  context: Context,
  listId: number,
  options: FormOptions,
): Promise<FormChanges & { texts: TextChange[] }> {
  const { further_lists: furtherLists, texts: _, ...settings } = options;
  const form: StoredForm = Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== undefined && !Object.hasOwn(formTexts, name)),
  );
  if (settings.fields) form.fields = await needTags(context, listId, settings.fields);
  if (settings.hidden_fields) form.hidden_fields = await needHidden(context, listId, settings.hidden_fields);
  if (settings.origins) form.origins = [...new Set(settings.origins.map(needOrigin))];
  if (settings.redirect_url) form.redirect_url = needHttps(settings.redirect_url);
  if (settings.picture_url) await needPicture(context, settings.picture_url);
  if (furtherLists)
    form.further_lists = [
      ...(await needFurtherLists(context, listId, furtherLists)),
      ...(await unseenFurtherLists(context, listId)),
    ];
  const texts = textChanges(options);
  for (const { name, value, member } of texts)
    if (value.trim() !== '') await needText(context, listId, name, value, member);
  return { form, texts };
}

/** The texts that are options of their own apply to every language. @throws Fault LIST_OPTION_INVALID */
function textChanges(options: FormOptions): TextChange[] {
  const own = (Object.keys(formTexts) as FormTextOption[]).flatMap((option) => {
    const value = options[option];
    return value === undefined ? [] : [{ name: formTexts[option], language: '', value, member: `options.${option}` }];
  });
  const named = (options.texts ?? []).map(({ name, language, value }, i) => ({
    name: needTextName(name, `options.texts.${i}.name`),
    language: needLanguage(language, `options.texts.${i}.language`),
    value,
    member: `options.texts.${i}.value`,
  }));
  return [...own, ...named];
}

/** The tags of public fields, in upper case. @throws Fault LIST_OPTION_INVALID */
async function needTags(context: Context, listId: number, tags: readonly string[]): Promise<string[]> {
  const named = await needFields(context, listId, tags, 'options.fields');
  const closed = named.find((field) => !field.shown);
  if (closed)
    throw fault('LIST_OPTION_INVALID', 'form.field_not_public', { member: 'options.fields', tag: closed.tag });
  return named.map((field) => field.tag);
}

/** The tags of fields besides the address, which is never hidden. @throws Fault LIST_OPTION_INVALID */
async function needHidden(context: Context, listId: number, tags: readonly string[]): Promise<string[]> {
  const named = await needFields(context, listId, tags, 'options.hidden_fields');
  return [...new Set(named.map((field) => field.tag))].filter((tag) => tag !== 'EMAIL');
}

/** @throws Fault LIST_OPTION_INVALID for a tag that the list does not have */
async function needFields(context: Context, listId: number, tags: readonly string[], member: string): Promise<Field[]> {
  const fields = await fieldsOf(context, listId);
  return tags.map((tag) => {
    const field = fields.find((listField) => listField.tag === tag.trim().toUpperCase());
    if (!field)
      throw fault('LIST_OPTION_INVALID', 'field.unknown', {
        member,
        tag: tag.slice(0, 40),
        choices: fields.map((listField) => listField.tag).join(', '),
      });
    return field;
  });
}

/** The ids of lists of the account, without that of the form. @throws Fault LIST_UNKNOWN */
async function needFurtherLists(context: Context, own: number, named: readonly string[]): Promise<number[]> {
  const ids = new Set<number>();
  for (const [index, id] of named.entries())
    ids.add((await needList(context, id, `options.further_lists.${index}`)).id);
  ids.delete(own);
  return [...ids];
}

/** Those that the form has and the caller does not see: they stay. */
async function unseenFurtherLists(context: Context, listId: number): Promise<number[]> {
  const { lists } = context.caller;
  if (lists === null) return [];
  const { further_lists: further = [] } = await storedForm(context, listId);
  return further.filter((id) => !lists.includes(id));
}

/** Only stored images: the page of a form loads nothing from elsewhere. @throws Fault LIST_OPTION_INVALID */
async function needPicture({ tx, account }: Context, url: string): Promise<void> {
  const [, owner, name] = /\/asset\/([0-9a-f]{8})\/([0-9a-f]{32}\.[a-z0-9]{2,5})$/.exec(url) ?? [];
  const found =
    owner === formatId(account.id) &&
    (await tx.row(sql`select 1 from asset where account_id = ${account.id} and name = ${name!}`));
  if (!found)
    throw fault('LIST_OPTION_INVALID', 'form.not_a_picture', {
      member: 'options.picture_url',
      value: url.slice(0, 120),
    });
}

/** @example https://www.example.com @throws Fault LIST_OPTION_INVALID */
function needOrigin(given: string, index: number): string {
  const url = URL.canParse(given.trim()) ? new URL(given.trim()) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.pathname !== '/' || url.search + url.hash + url.username + url.password !== '')
    throw fault('LIST_OPTION_INVALID', 'form.not_an_origin', {
      member: `options.origins.${index}`,
      value: given.slice(0, 80),
    });
  return url.origin;
}

function needHttps(address: string): string {
  const url = URL.canParse(address.trim()) ? new URL(address.trim()) : undefined;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw fault('LIST_OPTION_INVALID', 'form.not_https', {
      member: 'options.redirect_url',
      value: address.slice(0, 80),
    });
  return url.href;
}

async function storedForm(context: Context, listId: number): Promise<StoredForm> {
  const row = await context.tx.row<{ form: StoredForm }>(sql`
    select form from list where account_id = ${context.account.id} and id = ${listId}`);
  return row!.form;
}
