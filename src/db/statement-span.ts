// The span of a statement: its text, which has no values in it (they are parameters), and its table.
import { inInnerSpan } from '../base/spans.ts';

/** Longer texts, such as those of large segments, are cut. */
const maxText = 2_000;

/** Runs a statement; inside another span with a span of its own. */
export function statementSpan<T>(text: string, run: () => Promise<T>): Promise<T> {
  return inInnerSpan(
    () => summaryOf(text),
    () => ({
      kind: 'client',
      attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.trim().slice(0, maxText) },
    }),
    run,
  );
}

/** Such as "select campaign" or "update delivery": the verb and the table outside all parentheses. */
export function summaryOf(text: string): string {
  let outer = text.toLowerCase();
  for (let before = ''; outer !== before; ) {
    before = outer;
    outer = outer.replace(/\([^()]*\)/g, ' · ');
  }
  const verb = /\b(select|insert|update|delete|merge|analyze|lock)\b/.exec(outer)?.[1] ?? 'statement';
  const table = /\b(?:from|into|update|table)\s+(?:only\s+)?([a-z_][\w.]*)/.exec(outer)?.[1];
  return table === undefined ? verb : `${verb} ${table}`;
}
