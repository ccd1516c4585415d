// The methods about the sign-up form of a list and the texts of its own mails and pages.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { languageFor, languages } from '../../locales/text.ts';
import { method } from '../../method/method.ts';
import { id, many, params, struct, text, truth } from '../../method/params.ts';
import { fieldsOf } from '../fields/field.ts';
import { needList } from '../lists/list.ts';
import { snippet } from './fields-html.ts';
import { formOfList, readSettings, type StoredForm } from './form.ts';
import { defaultText, type ListTextName, listTextNames, maxTextLength, resolved, tagsFor, tagsIn } from './texts.ts';

const formTexts = {
  title: 'form.title',
  intro: 'form.intro',
  consent: 'form.consent',
  thanks: 'form.thanks',
  button: 'form.button',
} as const;

const settingsRecord = z.object({
  enabled: z.boolean(),
  fields: z.array(z.string()),
  title: z.string(),
  intro: z.string(),
  consent: z.string(),
  ask_consent: z.boolean(),
  button: z.string(),
  thanks: z.string(),
  redirect_url: z.string(),
  send_welcome: z.boolean(),
  send_goodbye: z.boolean(),
});

export const signupMethods = [
  method({
    name: 'listForm',
    group: 'lists',
    summary: 'Returns the sign-up form of a list: its address, HTML for your own site, and its settings.',
    description:
      'Whoever sends the form gets a mail and is subscribed after confirming; the form tells everybody the same, whether the address is new, subscribed already or suppressed. Add ?ln=CODE to the address for another language. The HTML works on any site without script and cookies; who sends it looks over what was typed on the hosted page and sends it from there. settings.fields names the fields shown, in their order.',
    params: params({
      id: id('The list.'),
      language: text(
        'Language of the HTML and the texts, as a code such as de; the language of the list when not given.',
        20,
      ).default(''),
    }),
    returns: z.object({ url: z.string(), html: z.string(), settings: settingsRecord }),
    faults: ['LIST_UNKNOWN', 'LIST_OPTION_INVALID'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{list}}' } },
    async run(context, { id: named, language: wanted }) {
      const list = await needList(context, named);
      const language = needLanguage(wanted);
      const form = (await formOfList(context.tx, context.account.id, list.id, language || undefined))!;
      const url = `${context.app.baseUrl}/subscribe/${form.key}`;
      const stored = await storedForm(context, list.id);
      const settings = readSettings(stored);
      return {
        url,
        html: snippet(form, language === '' ? url : `${url}?ln=${language}`),
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
          send_welcome: settings.sendWelcome,
          send_goodbye: settings.sendGoodbye,
        },
      };
    },
  }),
  method({
    name: 'listFormUpdate',
    group: 'lists',
    summary: 'Changes the sign-up form of a list; settings that are not given stay.',
    description:
      'The texts hold for every language that listTextUpdate gives no text of its own; an empty one brings back the text of the program. Web addresses in a text become links, also as [words](https://example.com).',
    params: params({
      id: id('The list.'),
      options: struct(
        'What to change.',
        {
          enabled: truth('Whether the form can be opened and sent.').optional(),
          fields: many(
            'Tags of the fields shown; none: all public fields. Required fields are always shown.',
            text('A tag.', 100),
            60,
          ).optional(),
          title: text('Title.', maxTextLength.line).optional(),
          intro: text('What stands above the form.', maxTextLength.plain).optional(),
          consent: text(
            'What a visitor agrees to; kept as evidence with every sign-up.',
            maxTextLength.plain,
          ).optional(),
          ask_consent: truth('Whether a visitor must agree to the text of consent.').optional(),
          button: text('The button.', maxTextLength.line).optional(),
          thanks: text('What is shown after the form was sent.', maxTextLength.plain).optional(),
          redirect_url: text('Page of your own (https) shown instead of the thanks; empty for none.', 1_000).optional(),
          send_welcome: truth('Whether who has confirmed gets a welcome mail.').optional(),
          send_goodbye: truth('Whether who unsubscribes by a page or a mail program gets a goodbye mail.').optional(),
        },
        { fault: 'LIST_OPTION_INVALID' },
      ),
    }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'LIST_OPTION_INVALID'],
    scope: 'write',
    example: {
      params: { id: '{{list}}', options: { title: 'Letters from the lake', fields: ['FNAME'], send_welcome: true } },
    },
    async run(context, { id: named, options }) {
      const list = await needList(context, named);
      const { title, intro, consent, thanks, button, ...settings } = options;
      for (const [member, name] of Object.entries(formTexts)) {
        const value = { title, intro, consent, thanks, button }[member as keyof typeof formTexts];
        if (value !== undefined) await setText(context, list.id, name, '', value, `options.${member}`);
      }
      const stored = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
      if (settings.fields) stored.fields = await needTags(context, list.id, settings.fields);
      if (settings.redirect_url) stored.redirect_url = needHttps(settings.redirect_url);
      await context.tx.run(sql`
        update list
        set form = form || ${JSON.stringify(stored)}::jsonb
        where account_id = ${context.account.id}
          and id = ${list.id}`);
      return true;
    },
  }),
  method({
    name: 'listTexts',
    group: 'lists',
    summary: 'Returns the texts of the mails and pages of a list in one language.',
    description:
      'value is what is used, default what the program has of itself, edited whether they differ, languages which languages have a text of their own, tags which merge tags may stand in it.',
    params: params({
      id: id('The list.'),
      language: text('The language, as a code such as de; the language of the list when not given.', 20).default(''),
    }),
    returns: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        kind: z.string().meta({ description: 'line, plain or html.' }),
        language: z.string(),
        value: z.string(),
        default: z.string(),
        edited: z.boolean(),
        languages: z.array(z.string()),
        tags: z.array(z.string()),
      }),
    ),
    faults: ['LIST_UNKNOWN', 'LIST_OPTION_INVALID'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{list}}', language: 'de' } },
    async run(context, { id: named, language: wanted }) {
      const { tx, account } = context;
      const list = await needList(context, named);
      const given = needLanguage(wanted);
      const row = await tx.row<{ language: string }>(sql`
        select default_language as language from list where account_id = ${account.id} and id = ${list.id}`);
      const language = given || languageFor(row!.language);
      const rows = await tx.rows<{ name: ListTextName; language: string; value: string }>(sql`
        select name, language, value
        from list_text
        where account_id = ${account.id}
          and list_id = ${list.id}
        order by name, language`);
      const value = resolved(rows, language);
      const fields = (await fieldsOf(context, list.id)).map((field) => field.tag);
      return (Object.keys(listTextNames) as ListTextName[]).map((name) => ({
        name,
        description: listTextNames[name].summary,
        kind: listTextNames[name].kind,
        language,
        value: value(name),
        default: defaultText(name, language),
        edited: value(name) !== defaultText(name, language),
        languages: rows.filter((one) => one.name === name && one.language !== '').map((one) => one.language),
        tags: tagsFor(name, fields),
      }));
    },
  }),
  method({
    name: 'listTextUpdate',
    group: 'lists',
    summary: 'Changes one text of the mails and pages of a list; an empty value brings back the default.',
    description: `Names: ${Object.keys(listTextNames).join(', ')}. listTexts tells which merge tags each may hold; the mail that asks to confirm must hold *|CONFIRM|*.`,
    params: params({
      id: id('The list.'),
      name: text('Which text.', 100),
      value: text('The text.', maxTextLength.html),
      language: text(
        'The language it is for, as a code such as de; every language without a text of its own when not given.',
        20,
      ).default(''),
    }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'LIST_OPTION_INVALID'],
    scope: 'write',
    example: {
      params: { id: '{{list}}', name: 'welcome.subject', value: 'Good to have you, *|FNAME:friend|*', language: 'en' },
    },
    async run(context, { id: named, name, value, language }) {
      const list = await needList(context, named);
      const known = (Object.keys(listTextNames) as ListTextName[]).find((one) => one === name.toLowerCase());
      if (known === undefined)
        throw new Fault(
          'LIST_OPTION_INVALID',
          `name: there is no text "${name.slice(0, 40)}"; there are ${Object.keys(listTextNames).join(', ')}`,
        );
      await setText(context, list.id, known, needLanguage(language), value, 'value');
      return true;
    },
  }),
];

async function setText(
  context: Context,
  listId: number,
  name: ListTextName,
  language: string,
  value: string,
  member: string,
): Promise<void> {
  const { tx, account } = context;
  if (value.trim() === '') {
    await tx.run(sql`
      delete from list_text
      where account_id = ${account.id}
        and list_id = ${listId}
        and name = ${name}
        and language = ${language}`);
    return;
  }
  const fields = (await fieldsOf(context, listId)).map((field) => field.tag);
  const wrong = textProblem(name, value, fields);
  if (wrong) throw new Fault('LIST_OPTION_INVALID', `${member} ${wrong}`);
  await tx.run(sql`
    insert into list_text (account_id, list_id, name, language, value)
    values (${account.id}, ${listId}, ${name}, ${language}, ${value})
    on conflict (account_id, list_id, name, language) do update
    set value = excluded.value, changed_at = now()`);
}

/** Why a text cannot be used, or undefined. */
export function textProblem(name: ListTextName, value: string, fields: readonly string[]): string | undefined {
  const { kind } = listTextNames[name];
  if (value.length > maxTextLength[kind]) return `is longer than ${maxTextLength[kind]} characters`;
  if (value.includes('\0')) return 'contains a NUL character';
  if (kind === 'line' && /[\r\n]/.test(value)) return 'holds a line break';
  const may = tagsFor(name, fields);
  const strange = tagsIn(value).find((tag) => !may.includes(tag));
  if (strange) return `holds *|${strange}|*; there may stand ${may.map((tag) => `*|${tag}|*`).join(', ')}`;
  if ((name === 'confirm.text' || name === 'confirm.html') && !value.includes('*|CONFIRM|*'))
    return 'does not hold *|CONFIRM|*, the address of the page where the contact confirms';
  return undefined;
}

function needLanguage(wanted: string): string {
  if (wanted === '' || languages.includes(wanted)) return wanted;
  throw new Fault(
    'LIST_OPTION_INVALID',
    `language: there are no texts in "${wanted.slice(0, 20)}"; there are ${languages.join(', ')}`,
  );
}

async function needTags(context: Context, listId: number, tags: readonly string[]): Promise<string[]> {
  const fields = await fieldsOf(context, listId);
  return tags.map((tag) => {
    const field = fields.find((one) => one.tag === tag.trim().toUpperCase());
    if (!field)
      throw new Fault(
        'LIST_OPTION_INVALID',
        `options.fields: the list has no field "${tag.slice(0, 40)}"; it has ${fields.map((one) => one.tag).join(', ')}`,
      );
    if (!field.shown) throw new Fault('LIST_OPTION_INVALID', `options.fields: ${field.tag} is not public`);
    return field.tag;
  });
}

function needHttps(address: string): string {
  const url = URL.canParse(address.trim()) ? new URL(address.trim()) : undefined;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw new Fault(
      'LIST_OPTION_INVALID',
      `options.redirect_url: "${address.slice(0, 80)}" is not an address that begins with https://`,
    );
  return url.href;
}

async function storedForm(context: Context, listId: number): Promise<StoredForm> {
  const row = await context.tx.row<{ form: StoredForm }>(sql`
    select form from list where account_id = ${context.account.id} and id = ${listId}`);
  return row!.form;
}
