// The method that shows a sign-up form, its pages and its emails before anything is saved: as visitors will see them, with an example
// address.
import { z } from 'zod';
import { needList } from '../audience/model/list.ts';
import { type Form, formOfList } from '../audience/signup/form.ts';
import { formOptions } from '../audience/signup/form-params.ts';
import { changesOf, type FormOptions } from '../audience/signup/form-settings.ts';
import { needLanguage } from '../audience/signup/list-texts.ts';
import { fillTags, type ListTextName, textsOf } from '../audience/signup/texts.ts';
import type { Context } from '../base/context.ts';
import { type Html, html } from '../base/html.ts';
import { publicPath } from '../base/public-paths.ts';
import { text as textIn } from '../locales/text.ts';
import { inListFrame } from '../mail/list-frame.ts';
import { frameOf } from '../mail/list-mail.ts';
import { method } from '../method/method.ts';
import { id, oneOf, params, text } from '../method/params.ts';
import { askBody, doneBody } from './confirmation.ts';
import { page } from './page/page.ts';
import { formBody, thanksBody } from './subscribe.ts';
import { leftBody } from './unsubscribe.ts';

const previews = [
  'form',
  'thanks',
  'confirm',
  'confirmed',
  'unsubscribed',
  'confirm_email',
  'welcome_email',
  'goodbye_email',
] as const;
type Preview = (typeof previews)[number];

/** The example addressed by the previews; of no one (RFC 2606). */
const reader = 'reader@example.com';

type Given = { id: string; page: Preview; language: string; options: FormOptions };

export const formPreviewMethod = method({
  name: 'listFormPreview',
  group: 'lists',
  summary: 'Returns a page or an email of the sign-up form of a list as HTML, with changes that are not saved.',
  description:
    'page is form, thanks (after the form was sent), confirm (the page that the confirmation leads to), confirmed, unsubscribed, or confirm_email, welcome_email, goodbye_email, which have a subject and a plain text too. Links lead nowhere.',
  params: params({
    id: id('The list.'),
    page: oneOf('What to show.', previews),
    language: text('The language, as a code such as de. Default: the language of the list.', 20).default(''),
    options: formOptions.default({}),
  }),
  returns: z.object({
    subject: z.string(),
    text: z.string(),
    html: z.string(),
    source: z.string().meta({
      description: 'Of an email: its HTML with merge tags and frame, from which a design of its own can start.',
    }),
  }),
  faults: ['LIST_UNKNOWN', 'LIST_OPTION_INVALID'],
  scope: 'read',
  narrowed: true,
  reads: true,
  example: { params: { id: '{{list}}', page: 'welcome_email', options: { title: 'Letters from the lake' } } },
  run: showPreview,
});

async function showPreview(context: Context, { id, page: preview, language: wanted, options }: Given) {
  const { tx, account } = context;
  const list = await needList(context, id);
  const changes = await changesOf(context, list.id, options);
  const form = (await formOfList(tx, account.id, list.id, needLanguage(wanted) || undefined, changes))!;
  const texts = await textsOf(tx, account.id, list.id, form.language, changes.texts);
  const { sender } = form;
  const values = {
    EMAIL: reader,
    'LIST:NAME': form.list,
    'LIST:COMPANY': sender.name,
    'LIST:ADDRESS': sender.address,
    CONFIRM: `${context.app.baseUrl}/confirm/…`,
    UNSUB: '#',
    UPDATE_PROFILE: '#',
  };
  const textOf = (name: ListTextName) => fillTags(texts(name), values, 'plain');
  const kind = /^(confirm|welcome|goodbye)_email$/.exec(preview)?.[1] as 'confirm' | 'welcome' | 'goodbye' | undefined;
  if (kind) {
    const frame = frameOf(kind, { language: form.language, ...sender });
    const framed = inListFrame(texts(`${kind}.html`), frame);
    return {
      subject: textOf(`${kind}.subject`),
      text: textOf(`${kind}.text`),
      html: fillTags(framed, values, 'html'),
      source: framed,
    };
  }
  const { title, body } = pageOf(context, preview, form, textOf);
  const shown = page({
    language: form.language,
    title,
    sender,
    path: (path) => publicPath(context.app, path),
    body: html`<h1>${title}</h1>\n${body}`,
  });
  return { subject: title, text: '', html: shown, source: '' };
}

function pageOf(
  { app }: Context,
  preview: Preview,
  form: Form,
  textOf: (name: ListTextName) => string,
): { title: string; body: Html } {
  const { language } = form;
  switch (preview) {
    case 'thanks':
      return { title: textIn(language, 'form.thanks-title'), body: thanksBody(form, '') };
    case 'confirm':
      return { title: textOf('confirm.title'), body: askBody(textOf, '') };
    case 'confirmed':
      return {
        title: textIn(language, 'confirm.done-title'),
        body: doneBody(language, textOf, { unsubscribe: '#', preferences: '#' }),
      };
    case 'unsubscribed':
      return {
        title: textIn(language, 'unsubscribe.done-title'),
        body: leftBody(app, language, textOf('unsubscribe.done'), {
          form: undefined,
          back: { list: form.list, path: '#', token: '' },
        }),
      };
    default:
      return {
        title: form.text('form.title'),
        body: formBody(form, '', { given: {}, problems: {} }, (path) => publicPath(app, path)),
      };
  }
}
