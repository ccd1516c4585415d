// A thread that parses foreign HTML, Markdown and MJML for the calls in in-thread.ts.
import { parentPort } from 'node:worker_threads';
import { absolute, type ImportWarning } from '../content/absolute.ts';
import { withInlineCss } from '../content/inline-css.ts';
import { withInlineImages } from '../content/pictures/cid-addresses.ts';
import { plainPartOf } from '../content/plain-text.ts';
import type { CampaignContent } from '../markup/compiled.ts';
import type { SourceFormat } from '../model/source-format.ts';
import type { Look } from '../source/look.ts';
import { compile } from './compile.ts';

export type Order =
  | { work: 'compile'; content: CampaignContent; pictures: readonly { cid: string; addresses: string[] }[] }
  | { work: 'plain part'; html: string }
  | { work: 'absolute'; html: string; pageUrl: string }
  | { work: 'convert'; format: SourceFormat; source: string; look: Look };

export function perform(order: Order) {
  if (order.work === 'plain part') return plainPartOf(order.html);
  // Loaded at the first source: most campaigns have none.
  if (order.work === 'convert')
    return import('../source/convert.ts').then(({ convert }) => convert(order.format, order.source, order.look));
  if (order.work === 'absolute') {
    const warnings: ImportWarning[] = [];
    return { html: absolute(order.html, order.pageUrl, warnings), warnings };
  }
  const { content, pictures } = order;
  if (content.html === undefined) return compile(content);
  const html = content.inlineCss ? withInlineCss(content.html) : content.html;
  return compile({ ...content, html: withInlineImages(html, pictures) });
}

parentPort?.on('message', async (order: Order) => {
  try {
    parentPort!.postMessage({ value: await perform(order) });
  } catch (error) {
    parentPort!.postMessage({ error });
  }
});
