// The fenced blocks of documents: examples, commands and programs.
import assert from 'node:assert/strict';

export type Block = {
  language: string;
  /** Why a test does not run it, as the fence says after its language: "not run: needs Docker". */
  notRun: string;
  /** Of the fence. */
  line: number;
  text: string;
};

/** The fenced blocks of a document, without the indentation of their fence. */
export function blocks(text: string): Block[] {
  const found: Block[] = [];
  let open: (Block & { indent: number }) | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^( *)```(\w*)(?: not run: (.+))?/.exec(line);
    if (open && fence) {
      found.push(open);
      open = undefined;
    } else if (open) open.text += `${line.slice(open.indent)}\n`;
    else if (fence)
      open = {
        language: fence[2]!,
        notRun: fence[3] ?? '',
        line: index + 1,
        text: '',
        indent: fence[1]!.length,
      };
  }
  assert.equal(open, undefined, 'a block without an end');
  return found;
}
