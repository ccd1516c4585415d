// Imports a campaign's HTML from a URL.
// Guarantees the page that a browser would show: its encoding is detected as browsers do, relative URLs are made absolute
// (after redirects and <base>), and everything else stays as the author wrote it. Leaves connections and their risks to
// outbound.ts.
import { type Message, message, packMessage, renderMessage } from '../../base/messages.ts';
import { publicReason } from '../../base/outbound/outbound.ts';
import type { Outbound, OutboundRequest } from '../../base/outbound-client.ts';
import { absoluteInThread } from '../compile/in-thread.ts';
import type { ImportWarning } from '../content/absolute.ts';
import { charsetIn, decodePage } from '../content/charset.ts';

export type ImportLimits = { maxBytes: number; totalMs: number; maxRedirects: number; padFailureMs: number };

const importLimits: ImportLimits = {
  maxBytes: 5 * 1024 * 1024,
  totalMs: 15_000,
  maxRedirects: 3,
  // Connection failures are reported after 2, 4, 6 … seconds only, so that their timing reveals nothing.
  padFailureMs: 2_000,
};

export type ImportedPage =
  | { ok: true; html: string; finalUrl: string; charset: string; warnings: ImportWarning[] }
  | {
      ok: false;
      /** For the user. */
      reason: Message;
      /** For the log. */
      detail: string;
    };

/** Fetches and prepares a page. Expected failures are values; `reason` reveals nothing about hosts that cannot be reached. */
export async function importUrl(
  outbound: Outbound,
  url: string,
  limits: Partial<ImportLimits> & Pick<OutboundRequest, 'signal'> = {},
): Promise<ImportedPage> {
  const answer = await outbound.fetch(url.trim(), {
    ...importLimits,
    ...limits,
    redirects: 'follow-checked',
    decode: true,
    headers: { Accept: 'text/html, application/xhtml+xml;q=0.9' },
  });
  if (!answer.ok) return { ok: false, reason: publicReason(answer, url), detail: answer.detail };
  const fail = (reason: Message) => ({
    ok: false as const,
    reason,
    detail: `${answer.finalUrl}: ${renderMessage(reason)}`,
  });
  if (answer.status < 200 || answer.status > 299) return fail(message('fetch.no_page', { status: answer.status }));
  if (answer.body.length === 0) return fail(message('fetch.empty'));

  const contentType = answer.headers['content-type'] ?? '';
  const mediaType = contentType.split(';')[0]!.trim().toLowerCase();
  if (!(mediaType === '' ? looksLikeHtml(answer.body) : htmlTypes.has(mediaType))) {
    return fail(
      mediaType === '' ? message('fetch.not_html') : message('fetch.not_a_page', { type: mediaType.slice(0, 100) }),
    );
  }
  const { text, charset, replaced } = decodePage(answer.body, charsetIn(contentType));
  const warnings: ImportWarning[] = [];
  if (replaced)
    warnings.push({ code: 'undecodable', message: packMessage(message('import_url.undecodable', { charset })) });
  const page = await absoluteInThread(text, answer.finalUrl);
  warnings.push(...page.warnings);
  return { ok: true, html: page.html, finalUrl: answer.finalUrl, charset, warnings };
}

const htmlTypes = new Set(['text/html', 'application/xhtml+xml']);

function looksLikeHtml(body: Buffer): boolean {
  const start = body.subarray(0, 1024).toString('latin1').replaceAll('\0', '');
  return /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body|meta|title|table|div|p)\b/i.test(
    start,
  );
}
