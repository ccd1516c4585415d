// The fields of a sign-up form as HTML, the same for the hosted page and for the snippet on another site. No script, and
// no class names that need our style sheet. A problem is shown next to its field.
import { Html, html } from '../../base/html.ts';
import { isRightToLeft } from '../../locales/languages.ts';
import { text } from '../../locales/text.ts';
import { boxValue, tickedChoices, yesOrNo } from '../model/chosen.ts';
import type { Field } from '../model/field.ts';
import { listBoxes } from './chosen-lists.ts';
import type { Form } from './form.ts';
import { probableAddress } from './mistyped-domain.ts';
import type { FormProblem } from './sign-up.ts';

/** A honeypot: people do not see this field, programs fill it in. */
export const honeypotName = 'CONTACT_URL';

export type FormState = { values: Readonly<Record<string, string>>; problems: Readonly<Record<string, FormProblem>> };

const emptyForm: FormState = { values: {}, problems: {} };

export function formFields(form: Form, state: FormState = emptyForm, prefix = 'f'): Html {
  const { language } = form;
  return html`${form.fields.map((field) => fieldRow(field, language, state, prefix))}${form.hidden.flatMap((field) => hiddenInput(form, field, state, prefix))}
${listBoxes(form, state, prefix)}<div${trapAttribute(prefix)} aria-hidden="true"><label>${text(language, 'form.trap')} <input name="${honeypotName}" tabindex="-1" autocomplete="off"></label></div>
${form.settings.consent ? consentRow(form, state, prefix) : ''}`;
}

/** A value that came with the form; on another site also the empty input of a field named as hidden, for that site to fill in. */
function hiddenInput(form: Form, { tag }: Field, { values }: FormState, prefix: string): Html[] {
  const isOffered = prefix !== 'f' && form.settings.hiddenFields.includes(tag);
  return values[tag] || isOffered ? [html`<input type="hidden" name="${tag}" value="${values[tag] ?? ''}">`] : [];
}

/** Programs look for the attribute hidden; but other sites may forbid styles in HTML, and people must not see the field there. */
const trapAttribute = (prefix: string) =>
  new Html(
    prefix === 'f'
      ? ' style="position:absolute;inset-inline-start:-9999px;width:1px;height:1px;overflow:hidden"'
      : ' hidden',
  );

function fieldRow(field: Field, language: string, { values, problems }: FormState, prefix: string): Html {
  const id = `${prefix}-${field.tag}`;
  const problem = problems[field.tag];
  const value = values[field.tag] ?? '';
  const isRequired = field.required || field.tag === 'EMAIL';
  const attributes = new Html(
    `${isRequired ? ' required' : ''}${problem ? ` aria-invalid="true" aria-describedby="${id}-problem"` : ''}`,
  );
  const wrong = problem ? html`<span class="wrong" id="${id}-problem">${text(language, problem)}</span>` : '';
  if (field.type === 'yes_no') return yesNoRow(field, id, value, attributes, wrong);
  if (field.type === 'multiple_choice') return choicesRow(field, id, value, language, problem !== undefined, wrong);
  const hint = field.tag === 'EMAIL' ? hintFor(value, language) : undefined;
  return html`<p class="field"><label for="${id}">${field.name}${isRequired ? html` <span class="soft">${text(language, 'form.required')}</span>` : ''}</label>
${control(field, id, value, attributes, language)}${wrong}${hint ? html`<span class="soft">${hint}</span>` : ''}</p>
`;
}

const ticked = (is: boolean) => new Html(is ? ' checked' : '');

/** A box; unticked it is a no. Never `required`: a browser would ask for a yes. */
function yesNoRow({ tag, name }: Field, id: string, value: string, attributes: Html, wrong: Html | string): Html {
  const marks = new Html(attributes.text.replace(' required', ''));
  return html`<p class="field choice"><input type="hidden" name="${tag}" value="0"><input id="${id}" name="${tag}" type="checkbox" value="1"${ticked(yesOrNo(value) === 'yes')}${marks}>
<label for="${id}">${name}</label>${wrong}</p>
`;
}

/** A box for each choice. The hidden input lets the last one be unticked. */
function choicesRow(
  field: Field,
  id: string,
  value: string,
  language: string,
  isWrong: boolean,
  wrong: Html | string,
): Html {
  const { tag, name, choices, required } = field;
  const chosen = tickedChoices(value, choices);
  const marks = new Html(isWrong ? ` aria-invalid="true" aria-describedby="${id}-problem"` : '');
  return html`<fieldset><legend>${name}${required ? html` <span class="soft">${text(language, 'form.required')}</span>` : ''}</legend>
<input type="hidden" name="${tag}" value="">${choices.map(
    (choice, i) =>
      html`<label class="pick"><input type="checkbox" name="${tag}" value="${boxValue(choice)}" id="${id}-${i + 1}"${ticked(chosen.has(choice))}${marks}> <span>${choice}</span></label>
`,
  )}${wrong}</fieldset>
`;
}

/** A question where the domain of an address seems to be mistyped. */
export function hintFor(email: string, language: string): string | undefined {
  const meant = probableAddress(email);
  return meant && text(language, 'form.did-you-mean', { email: meant });
}

function control(field: Field, id: string, value: string, attributes: Html, language: string): Html {
  if (field.type === 'dropdown')
    return html`<select id="${id}" name="${field.tag}"${attributes}><option value="">${text(language, 'form.choose')}</option>${field.choices.map((choice) => html`<option${new Html(choice.toLowerCase() === value.toLowerCase() ? ' selected' : '')}>${choice}</option>`)}</select>`;
  if (field.type === 'address')
    return html`<textarea id="${id}" name="${field.tag}" rows="3" maxlength="2000" autocomplete="street-address"${attributes}>${value}</textarea>`;
  const [type, defaultAutocomplete] = inputTypes[field.type as keyof typeof inputTypes];
  const autocomplete =
    field.tag === 'FNAME' ? 'given-name' : field.tag === 'LNAME' ? 'family-name' : defaultAutocomplete;
  return html`<input id="${id}" name="${field.tag}" type="${type}" value="${value}" maxlength="${field.tag === 'EMAIL' ? 320 : 2_000}"${new Html(autocomplete ? ` autocomplete="${autocomplete}"` : '')}${new Html(field.type === 'number' ? ' inputmode="decimal"' : '')}${attributes}>`;
}

const inputTypes: Record<
  Exclude<Field['type'], 'yes_no' | 'multiple_choice'>,
  readonly [type: string, autocomplete: string]
> = {
  text: ['text', ''],
  number: ['text', ''],
  email: ['email', 'email'],
  date: ['date', ''],
  phone: ['tel', 'tel'],
  website: ['url', 'url'],
  image: ['url', ''],
  address: ['text', ''],
  dropdown: ['text', ''],
};

function consentRow(form: Form, { values, problems }: FormState, prefix: string): Html {
  const id = `${prefix}-CONSENT`;
  const problem = problems.CONSENT;
  return html`<p class="field choice"><input id="${id}" name="CONSENT" type="checkbox" value="1" required${new Html(values.CONSENT === undefined ? '' : ' checked')}${new Html(problem ? ` aria-invalid="true" aria-describedby="${id}-problem"` : '')}>
<label for="${id}">${withLinks(form.text('form.consent'))}</label>${problem ? html`<span class="wrong" id="${id}-problem">${text(form.language, problem)}</span>` : ''}</p>
`;
}

/** A text as HTML with its line breaks and links, also as [words](https://…); everything else is escaped. */
export function withLinks(plain: string): Html {
  const pieces = plain.split(/(\[[^\]\n]{1,200}\]\(https?:\/\/[^\s()<>"]+\)|https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/);
  return html`${pieces.map((piece) => {
    const link = /^\[([^\]]+)\]\((.+)\)$/.exec(piece);
    if (link) return html`<a href="${link[2]}" target="_blank" rel="noopener noreferrer">${link[1]}</a>`;
    if (/^https?:\/\//.test(piece))
      return html`<a href="${piece}" target="_blank" rel="noopener noreferrer">${piece}</a>`;
    return html`${piece.split('\n').map((line, i) => (i === 0 ? html`${line}` : html`<br>${line}`))}`;
  })}`;
}

/** The form for another site: plain HTML that posts to the hosted form. */
export function snippet(form: Form, url: string): string {
  const direction = isRightToLeft(form.language) ? html` lang="${form.language}" dir="rtl"` : '';
  return html`<form action="${url}" method="post" accept-charset="utf-8"${direction}>
${formFields(form, emptyForm, 'postrider')}<p><button type="submit">${form.text('form.button')}</button></p>
</form>
`.text;
}
