// The answers that several public pages share: a page of ours, a link that is not valid, a page that is no more, or not now.
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Html, html } from '../../base/html.ts';
import { languageFor, text } from '../../locales/text.ts';
import { page, type Sender } from './page.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** `publicPath` of this installation, for what has only the reply. */
    publicPath(path: `/${string}`): string;
  }
}

type Shown = {
  status?: number;
  language: string;
  title: string;
  /** What follows the heading. */
  body: Html;
  sender?: Sender | undefined;
  /** An origin that its form may lead to beside ours. */
  formTarget?: string;
  script?: PageScript | undefined;
  /** For a page that may be shared, and listed by search engines. */
  shared?: Html | undefined;
};

/** A script of ours, in the page itself: the policy allows it by its hash and nothing else. */
export type PageScript = { element: Html; hash: string };

export const pageScript = (source: string): PageScript => ({
  element: new Html(`<script>${source}</script>`),
  hash: createHash('sha256').update(source).digest('base64'),
});

/** A page of ours: no script but ours, nothing from elsewhere, in no frame, kept by no cache. */
export function show(reply: FastifyReply, { status = 200, formTarget = '', script, ...shown }: Shown) {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'self' ${formTarget}; frame-ancestors 'none'${script ? `; script-src 'sha256-${script.hash}'` : ''}`,
    )
    .send(
      page({
        ...shown,
        path: reply.server.publicPath,
        body: html`<h1>${shown.title}</h1>\n${shown.body}${script?.element ?? ''}`,
      }),
    );
}

/** A page of one paragraph about a link whose sender and recipient are not known: in the language of the browser. */
function note(reply: FastifyReply, status: number, name: string) {
  const language = browserLanguage(reply);
  return show(reply, {
    status,
    language,
    title: text(language, `${name}-title`),
    body: html`<p>${text(language, name)}</p>`,
  });
}

/** The first language of the browser that there are texts in, or English. */
export function browserLanguage(reply: FastifyReply): string {
  const accepted = reply.request.headers['accept-language'] ?? '';
  return languageFor(
    ...accepted
      .slice(0, 200)
      .split(',')
      .map((part) => part.split(';')[0]!.trim()),
  );
}

export const badLink = (reply: FastifyReply) => note(reply, 404, 'link.bad');

/** While the database cannot be reached: a browser, or a mail server that unsubscribes by one click, tries again. */
export const later = (reply: FastifyReply) => note(reply.header('retry-after', 10), 503, 'link.later');

export const gone = (reply: FastifyReply) => note(reply, 410, 'link.gone');

/** No report: the link is wrong, has expired or was withdrawn. */
export const noReport = (reply: FastifyReply) => note(reply, 404, 'link.gone');

export const tooOften = (reply: FastifyReply, seconds: number) =>
  note(reply.header('retry-after', seconds), 429, 'link.later');

/** No such campaign in the public archive. */
export const noCampaign = (reply: FastifyReply) => note(reply, 404, 'archive.gone');
