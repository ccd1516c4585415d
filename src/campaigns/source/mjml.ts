// MJML to the HTML of an email, by mrml (WebAssembly). Guarantees that nothing is fetched or included, and that no merge tag
// is lost: a tag at a place that MJML leaves out is a problem of the source. Fonts of other servers are loaded only where
// the source names them (mj-font).
import { createRequire } from 'node:module';
import { isRightToLeft } from '../../locales/languages.ts';
import type { Look } from './look.ts';
import { structureOf } from './mjml-structure.ts';
import type { SourceProblem } from './problem.ts';
import { protectTags, restoreTags } from './protected-tags.ts';

type Renderer = typeof import('mrml');

const require = createRequire(import.meta.url);

/** @returns a whole document, or why there is none */
export function htmlOfMjml(given: string, { language }: Look): { html: string } | SourceProblem {
  const source = given.replaceAll(/\r\n?/g, '\n').replace(/^\s*<\?xml[^>]*\?>/, '');
  const skippedLines =
    given
      .replaceAll(/\r\n?/g, '\n')
      .slice(0, -source.length || undefined)
      .split('\n').length - 1;
  const text = protectTags(source);
  const structure = structureOf(text.text);
  if (structure.problem) {
    const { what, line, element } = structure.problem;
    return {
      problem: what,
      line: line + skippedLines,
      detail: what === 'declaration' ? element : element.slice(0, 40),
    };
  }
  const { rootNameEnd: at } = structure;
  const rooted =
    at < 0
      ? text.text
      : `${text.text.slice(0, at)} lang="${language.replace(/[^\w-]/g, '')}"${isRightToLeft(language) ? ' dir="rtl"' : ''}${text.text.slice(at)}`;
  const rendered = render(rooted);
  if (rendered.type === 'error') {
    return { problem: 'invalid', line: lineOf(rendered, rooted) + skippedLines, detail: detailOf(rendered) };
  }
  const lost = lostTag(text, structure, rendered.content);
  if (lost) return { problem: 'tag', line: lost.line + skippedLines, detail: lost.tag };
  return { html: restoreTags(rendered.content, text) };
}

type Result = ReturnType<InstanceType<Renderer['Engine']>['toHtml']>;
type Failure = Extract<Result, { type: 'error' }>;

function render(source: string): Result {
  const { Engine } = require('mrml') as Renderer;
  const engine = new Engine();
  try {
    engine.setParserOptions({ includeLoader: { type: 'noop' } });
    engine.setRenderOptions({ disableComments: false, socialIconOrigin: null, fonts: {} });
    const result = engine.toHtml(source);
    engine.free();
    return result;
  } catch (error) {
    if (!(error instanceof Error && (error.name === 'RuntimeError' || error instanceof RangeError))) throw error;
    // Its memory is in no known state: the next document gets another instance.
    delete require.cache[require.resolve('mrml')];
    return { type: 'error', origin: 'render', message: 'the document cannot be rendered' };
  }
}

/** The line of an error: its position is counted in bytes, or named in the text. */
function lineOf(failure: Failure, source: string): number {
  if (failure.origin !== 'parser') return 1;
  const { details } = failure;
  if ('position' in details)
    return Buffer.from(source).subarray(0, details.position.start).toString().split('\n').length;
  if (details.type === 'parser-error') return Number(/at (\d+):\d+/.exec(details.source)?.[1] ?? 1);
  return source.split('\n').length;
}

/** What is wrong, in the words of the renderer, without its positions. */
function detailOf(failure: Failure): string {
  const text =
    failure.origin === 'parser' && failure.details.type === 'parser-error' ? failure.details.source : failure.message;
  return text
    .replace(/ in root template/g, '')
    .replace(/ at (?:position )?\d+:\d+/g, '')
    .slice(0, 200);
}

/** The first tag that the HTML does not have, other than in the head and in comments. */
function lostTag(
  { text, tags, words }: ReturnType<typeof protectTags>,
  { head, comments }: ReturnType<typeof structureOf>,
  html: string,
): { tag: string; line: number } | undefined {
  if (tags.length === 0) return undefined;
  const kept = new Set([...html.matchAll(words)].map(({ groups }) => groups!['no']));
  let comment = 0;
  for (const { index, groups } of text.matchAll(words)) {
    while (comment < comments.length && comments[comment]!.end <= index) comment += 1;
    const isInComment = (comments[comment]?.start ?? Number.POSITIVE_INFINITY) <= index;
    if (isInComment || (index >= head.start && index < head.end) || kept.has(groups!['no'])) continue;
    return { tag: tags[Number(groups!['no'])]!, line: text.slice(0, index).split('\n').length };
  }
  return undefined;
}
