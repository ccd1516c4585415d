// Reads and changes the texts of a list's automatic messages and pages.
import type { Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { type Message, message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { languages } from '../../locales/languages.ts';
import { languageFor } from '../../locales/text.ts';
import { fieldsOf } from '../model/field.ts';
import { needList } from '../model/list.ts';
import {
  defaultText,
  type ListTextName,
  listTextNames,
  maxTextLength,
  tagsFor,
  tagsIn,
  textNames,
  textsFrom,
} from './texts.ts';

/** All texts of a list in one language, with their defaults. */
export async function listTexts(context: Context, { id, language: requested }: { id: string; language: string }) {
  const { tx, account } = context;
  const list = await needList(context, id);
  const row = await tx.row<{ language: string }>(sql`
    select default_language as language from list where account_id = ${account.id} and id = ${list.id}`);
  const language = needLanguage(requested) || languageFor(row!.language);
  const rows = await tx.rows<{ name: ListTextName; language: string; value: string }>(sql`
    select name, language, value
    from list_text
    where account_id = ${account.id}
      and list_id = ${list.id}
    order by name, language`);
  const textOf = textsFrom(rows, language);
  const fields = (await fieldsOf(context, list.id)).map((field) => field.tag);
  return textNames.map((name) => ({
    name,
    description: listTextNames[name].summary,
    kind: listTextNames[name].kind,
    language,
    value: textOf(name),
    default: defaultText(name, language),
    // HTML follows the plain text until it has its own.
    edited:
      listTextNames[name].kind === 'html'
        ? rows.some((text) => text.name === name && (text.language === language || text.language === ''))
        : textOf(name) !== defaultText(name, language),
    languages: rows.filter((text) => text.name === name && text.language !== '').map((text) => text.language),
    tags: tagsFor(name, fields),
  }));
}

export async function updateText(
  context: Context,
  { id, name, value, language }: { id: string; name: string; value: string; language: string },
): Promise<true> {
  const list = await needList(context, id);
  await setText(context, list.id, needTextName(name, 'name'), needLanguage(language), value, 'value');
  return true;
}

/** @throws Fault LIST_OPTION_INVALID */
export function needTextName(name: string, member: string): ListTextName {
  const known = textNames.find((known) => known === name.toLowerCase());
  if (known !== undefined) return known;
  throw fault('LIST_OPTION_INVALID', 'list_text.unknown', {
    member,
    name: name.slice(0, 40),
    choices: Object.keys(listTextNames).join(', '),
  });
}

/** Sets an owner's text, or removes it when empty. @throws Fault LIST_OPTION_INVALID */
export async function setText(
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
  await needText(context, listId, name, value, member);
  await tx.run(sql`
    insert into list_text (account_id, list_id, name, language, value)
    values (${account.id}, ${listId}, ${name}, ${language}, ${value})
    on conflict (account_id, list_id, name, language) do update
    set value = excluded.value`);
}

/** @throws Fault LIST_OPTION_INVALID for a text that cannot be used */
export async function needText(
  context: Context,
  listId: number,
  name: ListTextName,
  value: string,
  member: string,
): Promise<void> {
  const fields = (await fieldsOf(context, listId)).map((field) => field.tag);
  const problem = textProblem(name, value, fields, member);
  if (problem) throw new Fault('LIST_OPTION_INVALID', problem);
}

/** Why a text cannot be used, or undefined. */
function textProblem(
  name: ListTextName,
  value: string,
  fields: readonly string[],
  member: string,
): Message | undefined {
  const { kind } = listTextNames[name];
  if (value.length > maxTextLength[kind]) return message('parameter.too_long', { member, count: maxTextLength[kind] });
  if (value.includes('\0')) return message('parameter.nul', { member });
  if (kind === 'line' && /[\r\n]/.test(value)) return message('list_text.line_break', { member });
  const allowed = tagsFor(name, fields);
  const unknown = tagsIn(value).find((tag) => !allowed.includes(tag));
  if (unknown)
    return message('list_text.tag_unknown', {
      member,
      tag: `*|${unknown}|*`,
      choices: allowed.map((tag) => `*|${tag}|*`).join(', '),
    });
  if ((name === 'confirm.text' || name === 'confirm.html') && !value.includes('*|CONFIRM|*'))
    return message('list_text.confirm_missing', { member });
  return undefined;
}

/** @throws Fault LIST_OPTION_INVALID */
export function needLanguage(language: string, member = 'language'): string {
  if (language === '' || languages.includes(language)) return language;
  throw fault('LIST_OPTION_INVALID', 'list_text.language', {
    member,
    language: language.slice(0, 20),
    choices: languages.join(', '),
  });
}
