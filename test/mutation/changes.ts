// The one-token changes of a source file: operators, numbers, booleans, strings, negations, early returns.
// Reads the syntax tree, so that types, names of properties and imports stay as they are.
import { parseSync } from '@swc/core';

export type Change = {
  file: string;
  line: number;
  /** The line that changes, without its indentation. */
  code: string;
  what: string;
  start: number;
  end: number;
  replacement: string;
};

const opposite: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '+=': '-=',
  '-=': '+=',
};

type Node = { type?: string; span?: { start: number; end: number } } & Record<string, unknown>;

export function changesOf(file: string, source: string): Change[] {
  const bytes = Buffer.from(source);
  // Positions count bytes from an arbitrary begin; the semicolon makes that begin known.
  const tree = parseSync(`;${source}`, { syntax: 'typescript', target: 'es2024' }) as unknown as Node;
  const offset = tree.span!.start + 1;
  const changes: Change[] = [];
  const text = (from: number, to: number) => bytes.toString('utf8', from - offset, to - offset);

  /** Positions as in the tree. */
  function add(from: number, to: number, replacement: string, what = `${text(from, to)} → ${replacement}`): void {
    const start = text(offset, from).length;
    const line = source.slice(0, start).split('\n').length;
    changes.push({
      file,
      line,
      code: source.split('\n')[line - 1]!.trim(),
      what,
      start,
      end: start + text(from, to).length,
      replacement,
    });
  }

  function visit(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const node = value as Node;
    const { type = '', span } = node;
    if (skipped(type)) return;
    if (type === 'BinaryExpression' || type === 'AssignmentExpression') operator(node);
    else if (type === 'NumericLiteral') add(span!.start, span!.end, String(Number(node.value) + 1));
    else if (type === 'BooleanLiteral') add(span!.start, span!.end, String(!node.value));
    else if (type === 'StringLiteral' && node.value !== '') add(span!.start, span!.end, "''");
    else if (type === 'UnaryExpression' && node.operator === '!') add(span!.start, span!.start + 1, '', 'without !');
    else if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ClassMethod)$/.test(type)) {
      const body = ((node.function as Node | undefined) ?? node).body as Node | null;
      if (body?.type === 'BlockStatement') add(body.span!.start + 1, body.span!.start + 1, ' return;', 'early return');
    }
    for (const [name, child] of Object.entries(node)) {
      const isName = (name === 'key' || name === 'property') && (child as Node)?.type !== 'Computed';
      if (
        !isName &&
        !['span', 'source', 'typeAnnotation', 'returnType', 'typeParameters', 'typeArguments'].includes(name)
      )
        visit(child);
    }
  }

  function operator(node: Node): void {
    const replacement = opposite[node.operator as string];
    const from = (node.left as Node).span!.end;
    const between = text(from, (node.right as Node).span!.start);
    const at = between.indexOf(node.operator as string);
    if (replacement === undefined || at < 0) return;
    const start = from + Buffer.byteLength(between.slice(0, at));
    add(start, start + (node.operator as string).length, replacement);
  }

  visit(tree.body);
  return changes;
}

/** Declarations of types, and imports. Expressions such as `x as T` and `x!` are not among them. */
function skipped(type: string): boolean {
  return (
    type === 'ImportDeclaration' ||
    /^Ts(?!AsExpression|NonNullExpression|SatisfiesExpression|ConstAssertion)/.test(type)
  );
}

/** Whether the source with the change is still a program. */
export function parses({ start, end, replacement }: Change, original: string): boolean {
  const source = original.slice(0, start) + replacement + original.slice(end);
  try {
    parseSync(source, { syntax: 'typescript', target: 'es2024' });
    return true;
  } catch {
    return false;
  }
}
