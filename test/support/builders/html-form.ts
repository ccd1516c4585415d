// The form of a page as a browser submits it: each name with its value, in the order of the page; what is not ticked is absent.
import { parse } from 'parse5';

type Node = {
  tagName?: string;
  value?: string;
  attrs?: { name: string; value: string }[];
  childNodes?: Node[];
};

/** The pairs of the first form of a page. */
export function formOf(page: string): [string, string][] {
  const form = find(parse(page) as Node, 'form');
  return form ? all(form).flatMap(pairOf) : [];
}

function pairOf(node: Node): [string, string][] {
  const name = attribute(node, 'name');
  if (name === undefined) return [];
  if (node.tagName === 'textarea') return [[name, textOf(node).replaceAll('\n', '\r\n')]];
  if (node.tagName === 'select') {
    const options = all(node).filter(({ tagName }) => tagName === 'option');
    const chosen = options.find((option) => attribute(option, 'selected') !== undefined) ?? options[0];
    return chosen ? [[name, attribute(chosen, 'value') ?? textOf(chosen).trim()]] : [];
  }
  if (node.tagName !== 'input') return [];
  const isBox = ['checkbox', 'radio'].includes(attribute(node, 'type') ?? '');
  if (isBox && attribute(node, 'checked') === undefined) return [];
  if (attribute(node, 'disabled') !== undefined) return [];
  // A line has no line breaks.
  const isLine = attribute(node, 'type') !== 'hidden';
  const value = attribute(node, 'value') ?? (isBox ? 'on' : '');
  return [[name, isLine ? value.replace(/[\r\n]/g, '') : value]];
}

const all = (node: Node): Node[] => (node.childNodes ?? []).flatMap((child) => [child, ...all(child)]);
const find = (node: Node, tag: string): Node | undefined => all(node).find(({ tagName }) => tagName === tag);
const attribute = (node: Node, name: string) => node.attrs?.find((attr) => attr.name === name)?.value;
const textOf = (node: Node): string => (node.childNodes ?? []).map((child) => child.value ?? textOf(child)).join('');
