// The hosted sign-up form of a list. GET shows it; POST asks the address to confirm, with the same answer for every address. What
// protects it against abuse is in docs/decisions/0021-sign-up.md.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maxRequestsPerDay } from '../audience/confirmation/confirmation-limit.ts';
import { formFields, honeypotName, withLinks } from '../audience/signup/fields-html.ts';
import { type Form, formByKey, openedToken, readOpenedToken } from '../audience/signup/form.ts';
import { probableAddress } from '../audience/signup/mistyped-domain.ts';
import { noteRefusedSignUp, type RefusalReason } from '../audience/signup/refusals.ts';
import {
  countSubmission,
  domainProblem,
  hasReachedCap,
  readSubmission,
  type Submission,
  signUp,
} from '../audience/signup/sign-up.ts';
import type { App } from '../base/context.ts';
import { type Html, html } from '../base/html.ts';
import { text } from '../locales/text.ts';
import { joined } from './form-body.ts';
import { badLink, show } from './page/answers.ts';
import { assetPath } from './page/page.ts';

export type Asked = FastifyRequest<{ Params: { key: string }; Querystring: Record<string, unknown> }>;

export function addSubscribePages(server: FastifyInstance, app: App) {
  server.get('/subscribe/:key', async (request: Asked, reply) => {
    const form = await formOf(app, request);
    if (!form) return badLink(reply);
    if (!form.settings.enabled) return off(reply, form);
    return showForm(reply, form, openedToken(app, form.key, Date.now()), {
      status: 200,
      given: inAddress(form, request.query),
      problems: {},
    });
  });

  server.post('/subscribe/:key', async (request: Asked, reply) => {
    const form = await formOf(app, request);
    if (!form) return badLink(reply);
    if (!form.settings.enabled) return off(reply, form);
    const given = typedInto(form, request.body);
    const refused = (reason: RefusalReason) =>
      noteRefusedSignUp(app, form, { reason, email: given.EMAIL ?? '', ip: request.ip });
    if (!(await countSubmission(app.db, request.ip))) {
      await refused('network_limit');
      return tooMany(reply, form);
    }
    if (given[honeypotName]) {
      await refused('trap');
      return thanks(reply, form);
    }
    const filled = readSubmission(form, given);
    const now = Date.now();
    const look = readOpenedToken(app, form.key, given.LOOK ?? '', now);
    const wrong = Object.keys(filled.problems).length > 0;
    if (wrong || look.kind !== 'fine') {
      const token =
        look.kind === 'fine' ? given.LOOK! : openedToken(app, form.key, look.kind === 'too soon' ? look.at : now);
      return showForm(reply, form, token, {
        status: wrong ? 400 : 200,
        given,
        problems: filled.problems,
        message: text(form.language, wrong ? 'form.wrong' : 'form.once-more'),
      });
    }
    const problem = await domainProblem(app, form, filled);
    if (problem) {
      await refused('domain');
      return showForm(reply, form, given.LOOK!, {
        status: 400,
        given,
        problems: { EMAIL: problem },
        message: text(form.language, 'form.wrong'),
      });
    }
    if (await hasReachedCap(app.db, form)) {
      await refused('form_limit');
      return tooMany(reply, form);
    }
    const outcome = await signUp(app, form, filled, { ip: request.ip, language: askedLanguage(request) });
    if (outcome === 'nothing') await refused('not_asked');
    return thanks(reply, form, filled);
  });
}

export const askedLanguage = ({ query }: Asked) => (typeof query.ln === 'string' ? query.ln.slice(0, 20) : undefined);

export async function formOf(app: App, request: Asked): Promise<Form | undefined> {
  return formByKey(app.db, request.params.key, askedLanguage(request));
}

/** What was typed: strings only, none of them without end, no NUL that the database would refuse. */
export function readable(body: unknown): Record<string, string> {
  const given = typeof body === 'object' && body !== null && !Buffer.isBuffer(body) ? body : {};
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value.slice(0, 4_000).replaceAll('\0', '')]] : [],
    ),
  );
}

/** What was typed, with the values of fields by their tags. */
export const typedInto = (form: Form, body: unknown): Record<string, string> => {
  const given = readable(body);
  return { ...given, ...valuesOf(form, given) };
};

/** The values of fields in the address of a form. Consent and choices are the visitor's own. */
const inAddress = (form: Form, query: Record<string, unknown>): Record<string, string> =>
  valuesOf(
    form,
    readable(
      Object.fromEntries(
        Object.entries(query).map(([name, value]) => [
          name,
          joined(Array.isArray(value) ? value.map(String) : [String(value)]),
        ]),
      ),
    ),
  );

/** The values of fields by their tags; a form may write a tag in any case, and as MERGE and its number. */
function valuesOf({ fields, hidden }: Form, given: Readonly<Record<string, string>>): Record<string, string> {
  const byName = new Map(Object.entries(given).map(([name, value]) => [name.toUpperCase(), value]));
  return Object.fromEntries(
    [...fields, ...hidden].flatMap(({ tag, mergeNo }) => {
      const value = given[tag] ?? byName.get(tag) ?? byName.get(`MERGE${mergeNo}`);
      return value === undefined ? [] : [[tag, value]];
    }),
  );
}

type Typed = { status: number; given: Record<string, string>; problems: Submission['problems']; message?: string };

function showForm(reply: FastifyReply, form: Form, token: string, typed: Typed) {
  return show(reply, {
    status: typed.status,
    language: form.language,
    title: form.text('form.title'),
    sender: form.sender,
    body: formBody(form, token, typed, reply.server.publicPath),
    // A redirect after the form counts as the form's target.
    formTarget: form.settings.redirect === '' ? '' : new URL(form.settings.redirect).origin,
  });
}

type PathOf = (path: `/${string}`) => string;

/** What the page of the form has below its heading. */
export function formBody(
  form: Form,
  token: string,
  { given, problems, message }: Omit<Typed, 'status'>,
  pathOf: PathOf,
): Html {
  return beside(
    about(form, pathOf),
    html`${message ? html`<p role="alert" class="problem">${message}</p>` : ''}<p class="lead">${withLinks(form.text('form.intro'))}</p>
<form method="post" novalidate><input type="hidden" name="LOOK" value="${token}">
${formFields(form, { values: given, problems })}<button>${form.text('form.button')}</button></form>`,
  );
}

/** The picture and the text of the page, if the form has any. */
function about(form: Form, pathOf: PathOf): Html | undefined {
  const { picture, pictureAlt } = form.settings;
  const path = assetPath(picture);
  const paragraphs = form
    .text('form.about')
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '');
  if (!path && paragraphs.length === 0) return undefined;
  return html`${path ? html`<img src="${pathOf(path)}" alt="${pictureAlt}">` : ''}${paragraphs.map((paragraph) => html`<p>${withLinks(paragraph.trim())}</p>`)}`;
}

const beside = (first: Html | undefined, form: Html): Html =>
  first ? html`<div class="landing"><div class="about">${first}</div>\n<div>${form}</div></div>` : form;

function thanks(reply: FastifyReply, form: Form, given?: Pick<Submission, 'email' | 'values'>) {
  if (form.settings.redirect !== '')
    return reply.header('cache-control', 'no-store').redirect(form.settings.redirect, 303);
  return note(reply, form, 200, 'form.thanks-title', thanksBody(form, given ? hintLink(reply, form, given) : ''));
}

/** What the page has below its heading once the form was sent. */
export const thanksBody = (form: Form, hint: Html | string): Html =>
  html`<p role="status">${withLinks(form.text('form.thanks'))}</p>${hint}<p class="soft">${sentAgainText(form.language)}</p>`;

/**
 * Leads back to the form with the address that was probably meant, and everything else that was entered: the other one was asked
 * to confirm, for it may be right.
 */
function hintLink(
  reply: FastifyReply,
  form: Form,
  { email, values }: Pick<Submission, 'email' | 'values'>,
): Html | string {
  const meant = probableAddress(email);
  if (!meant) return '';
  const entered = Object.entries(values).filter(([, value]) => value !== '');
  const query = new URLSearchParams([['ln', form.language], ['EMAIL', meant], ...entered]);
  const path = `${reply.server.publicPath(`/subscribe/${form.key}`)}?${query}`;
  return html`<p class="problem"><a href="${path}">${text(form.language, 'form.did-you-mean', { email: meant })}</a></p>`;
}

const off = (reply: FastifyReply, form: Form) =>
  note(reply, form, 403, 'form.off-title', html`<p>${text(form.language, 'form.off')}</p>`);

const tooMany = (reply: FastifyReply, form: Form) =>
  note(
    reply.header('retry-after', 3_600),
    form,
    429,
    'form.off-title',
    html`<p>${text(form.language, 'form.too-many')}</p>`,
  );

const note = (reply: FastifyReply, { language, sender }: Form, status: number, title: string, body: Html) =>
  show(reply, { status, language, title: text(language, title), sender, body });

/** How often the confirmation email is sent, for a reader who waits for one. */
export const sentAgainText = (language: string): string =>
  text(language, 'form.thanks-again', { count: maxRequestsPerDay });
