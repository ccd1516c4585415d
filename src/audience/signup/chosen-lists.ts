// The lists that a form signs people up to: its own and further ones of the account. The visitor chooses with check boxes, or gets
// all. One confirmation covers all of them. The fields of the form are those of its own list; a further list gets the values of
// the fields that it has too.
import type { Context } from '../../base/context.ts';
import { Html, html } from '../../base/html.ts';
import { formatId } from '../../db/ids.ts';
import { text } from '../../locales/text.ts';
import { type Field, readFieldText } from '../model/field.ts';
import { fieldsToWrite } from '../segments/references.ts';
import type { Form } from './form.ts';

/** A form for more lists than these is a page that few people read. */
export const maxFurtherLists = 15;

/** The name of a list's check box. */
export const boxName = (listId: number): string => `LIST.${formatId(listId)}`;

/** Whether the visitor chooses between lists. */
export const hasChoice = ({ lists, settings }: Form): boolean => settings.choose && lists.length > 1;

/** The lists that a submission asks for, in the order of the form. */
export function chosenLists(form: Form, given: Readonly<Record<string, string>>): number[] {
  const ids = form.lists.map(({ id }) => id);
  return hasChoice(form) ? ids.filter((id) => given[boxName(id)] !== undefined) : ids;
}

/** The check boxes. None is ticked beforehand: a tick is a wish. @param problem why the choice is not complete */
export function listBoxes(
  form: Form,
  { values, problems }: { values: Readonly<Record<string, string>>; problems: Readonly<Record<string, string>> },
  prefix: string,
): Html | string {
  if (!hasChoice(form)) return '';
  const { language } = form;
  const problem = problems[boxName(form.lists[0]!.id)];
  const mark = problem ? ` aria-invalid="true" aria-describedby="${prefix}-LISTS-problem"` : '';
  return html`<fieldset><legend>${text(language, 'form.lists')}</legend>
${form.lists.map(
  ({
    id,
    name,
  }) => html`<label class="pick"><input type="checkbox" name="${boxName(id)}" value="1" id="${prefix}-${boxName(id)}"${new Html(values[boxName(id)] === undefined ? '' : ' checked')}${new Html(mark)}> <span>${name}</span></label>
`,
)}${problem ? html`<span class="wrong" id="${prefix}-LISTS-problem">${text(language, problem)}</span>` : ''}</fieldset>
`;
}

/** The fields of a list that the form asks for, and the values that they take: a value that one cannot hold is left out. */
export async function valuesFor(
  context: Context,
  form: Form,
  listId: number,
  values: Readonly<Record<string, string>>,
): Promise<{ fields: readonly Field[]; values: Record<string, string> }> {
  const isOwn = listId === form.listId;
  // The form was read before this transaction: a choice may have another name now.
  if (isOwn && !form.fields.some(({ type }) => type === 'multiple_choice')) return { fields: form.fields, values };
  const fields: Field[] = [];
  const taken: Record<string, string> = {};
  for (const field of await fieldsToWrite(context, listId)) {
    const value = values[field.tag];
    const reading = value === undefined || !(field.shown || isOwn) ? undefined : readFieldText(field, value);
    if (!reading?.ok) continue;
    taken[field.tag] = reading.value;
    fields.push(field);
  }
  return { fields, values: taken };
}
