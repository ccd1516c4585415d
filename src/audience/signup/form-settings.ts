// Reads and changes the sign-up form of a list.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { Page } from '../../method/paging.ts';
import { fieldsOf } from '../fields/field.ts';
import { needList } from '../lists/list.ts';
import { snippet } from './fields-html.ts';
import { formOfList, readSettings, type StoredForm } from './form.ts';
import { needLanguage, setText } from './list-texts.ts';

/** Texts of the form that are options of listFormUpdate. */
const formTexts = {
  title: 'form.title',
  intro: 'form.intro',
  consent: 'form.consent',
  thanks: 'form.thanks',
  button: 'form.button',
} as const;

type FormTextOption = keyof typeof formTexts;
type Optional<T> = { [K in keyof T]?: T[K] | undefined };
type FormOptions = Optional<StoredForm> & Optional<Record<FormTextOption, string>>;

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
    },
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
  const { title, intro, consent, thanks, button, ...settings } = options;
  for (const [option, value] of Object.entries({ title, intro, consent, thanks, button }))
    if (value !== undefined)
      await setText(context, list.id, formTexts[option as FormTextOption], '', value, `options.${option}`);
  const stored: StoredForm = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  if (settings.fields) stored.fields = await needTags(context, list.id, settings.fields);
  if (settings.origins) stored.origins = [...new Set(settings.origins.map(needOrigin))];
  if (settings.redirect_url) stored.redirect_url = needHttps(settings.redirect_url);
  await context.tx.run(sql`
    update list
    set form = form || ${JSON.stringify(stored)}::jsonb
    where account_id = ${context.account.id}
      and id = ${list.id}`);
  return true;
}

/** The tags of public fields, in upper case. @throws Fault LIST_OPTION_INVALID */
async function needTags(context: Context, listId: number, tags: readonly string[]): Promise<string[]> {
  const fields = await fieldsOf(context, listId);
  return tags.map((tag) => {
    const field = fields.find((listField) => listField.tag === tag.trim().toUpperCase());
    if (!field)
      throw fault('LIST_OPTION_INVALID', 'field.unknown', {
        member: 'options.fields',
        tag: tag.slice(0, 40),
        choices: fields.map((listField) => listField.tag).join(', '),
      });
    if (!field.shown)
      throw fault('LIST_OPTION_INVALID', 'form.field_not_public', { member: 'options.fields', tag: field.tag });
    return field.tag;
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
