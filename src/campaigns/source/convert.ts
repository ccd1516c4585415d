// Converts the source of a campaign's content to HTML. Pure: called in threads with limits of time and memory
// (compile/in-thread.ts).
import type { SourceFormat } from '../model/source-format.ts';
import type { Look } from './look.ts';
import { htmlOfMarkdown } from './markdown.ts';
import { htmlOfMjml } from './mjml.ts';
import type { SourceProblem } from './problem.ts';

export type Converted = { html: string } | SourceProblem;

export function convert(format: SourceFormat, source: string, look: Look): Converted {
  return format === 'markdown' ? { html: htmlOfMarkdown(source, look) } : htmlOfMjml(source, look);
}
