// The answers that several public pages share: a page of ours, a link that is not valid, a page that is no more, or not now.
import type { FastifyReply } from 'fastify';
import { type Html, html } from '../base/html.ts';
import { text } from '../locales/text.ts';
import { page } from './page.ts';

/**
 * A page of ours: no script, nothing from elsewhere, in no frame, kept by no cache.
 * @param formTarget an origin that its form may lead to beside ours
 */
export function show(
  reply: FastifyReply,
  status: number,
  language: string,
  title: string,
  body: Html,
  formTarget = '',
) {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' ${formTarget}; frame-ancestors 'none'`,
    )
    .send(page({ title, body, language }));
}

export function badLink(reply: FastifyReply) {
  const title = text('en', 'link.bad-title');
  return show(reply, 404, 'en', title, html`<h1>${title}</h1><p>${text('en', 'link.bad')}</p>`);
}

/** While the database cannot be reached: a browser, or a mail server that unsubscribes by one click, tries again. */
export function later(reply: FastifyReply) {
  const title = text('en', 'link.later-title');
  reply.header('retry-after', 10);
  return show(reply, 503, 'en', title, html`<h1>${title}</h1><p>${text('en', 'link.later')}</p>`);
}

export function gone(reply: FastifyReply) {
  const title = text('en', 'link.gone-title');
  return show(reply, 410, 'en', title, html`<h1>${title}</h1><p>${text('en', 'link.gone')}</p>`);
}
