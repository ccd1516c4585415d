// The Markdown or MJML of a campaign: which one was given, and its HTML or the fault that says what is wrong where. The source
// is kept next to the HTML that it made; a change of the HTML drops it.

import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { maxHtml } from '../content/limits.ts';
import { brandFrom } from '../model/brand.ts';
import { type SourceFormat, sourceFormats } from '../model/source-format.ts';
import { convertInThread } from './in-thread.ts';

/** Markdown or MJML at most, in characters. */
export const maxSource = 512 * 1024;

type Given = { html?: string | undefined; markdown?: string | undefined; mjml?: string | undefined };

/** @throws Fault CONTENT_INVALID naming the second of two sources */
export function needOneSource(given: Given): void {
  const [, second] = (['html', ...sourceFormats] as const).filter((name) => (given[name] ?? '').trim() !== '');
  if (second) throw fault('CONTENT_INVALID', 'source.only_one', { member: `content.${second}` });
}

/** Returns the source that was given and its HTML; undefined without one. @throws Fault CONTENT_INVALID, TOO_LARGE */
export async function readSource(
  context: Pick<Context, 'account'>,
  given: Given & { language: string },
): Promise<{ html: string; source: string; format: SourceFormat } | undefined> {
  const format = sourceFormats.find((name) => (given[name] ?? '').trim() !== '');
  if (!format) return undefined;
  const source = given[format]!.replaceAll('\0', '').toWellFormed();
  const html = await htmlOfSource(context, { format, source, language: given.language }, `content.${format}`);
  return { html, source, format };
}

/** @param member what faults name @throws Fault CONTENT_INVALID, TOO_LARGE, UNAVAILABLE */
export async function htmlOfSource(
  { account }: Pick<Context, 'account'>,
  { format, source, language }: { format: SourceFormat; source: string; language: string },
  member: string,
): Promise<string> {
  if (source.length > maxSource)
    throw fault('TOO_LARGE', 'content.too_large', { member, length: source.length, count: maxSource });
  const look = { brand: brandFrom(account.settings['brand']), language: language || account.language };
  const converted = await convertInThread(format, source, look);
  if ('problem' in converted) {
    const { problem, line, detail } = converted;
    throw fault('CONTENT_INVALID', `source.${problem}`, { member, line, detail });
  }
  const { length } = converted.html;
  if (length > maxHtml) throw fault('TOO_LARGE', 'source.html_too_large', { member, length, count: maxHtml });
  return converted.html;
}
