// The text of the starter templates can be read on what is behind it, in light and dark, whatever the colours of the brand are. Looks at
// the page as a tree: the ground and the colour of a text are those of the nearest element that has one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DefaultTreeAdapterMap, parse } from 'parse5';
import { startersIn } from '../../../test/support/samples/starters.ts';
import { contrast } from '../model/colour.ts';
import { plainBrand } from '../model/plain-brand.ts';

type Node = DefaultTreeAdapterMap['node'];
type Seen = { ground: string; colour: string };

/** What the styles for dark mode set, by class. */
function darkColours(html: string): Map<string, Partial<Seen>> {
  const rules = /@media \(prefers-color-scheme: dark\) \{\n([\s\S]*?)\n\}/.exec(html)![1]!;
  const colours = new Map<string, Partial<Seen>>();
  for (const [, selectors, property, value] of rules.matchAll(/^ {2}(.*) \{ ([a-z-]+): (#\w{6}) !important; \}$/gm))
    for (const selector of selectors!.split(', ')) {
      if (property === 'border-color') continue;
      const set = property === 'color' ? { colour: value! } : { ground: value! };
      colours.set(selector.slice(1), { ...colours.get(selector.slice(1)), ...set });
    }
  return colours;
}

/** The texts that are hard to read, with their colours. */
function hardToRead(html: string, dark: ReadonlyMap<string, Partial<Seen>>): string[] {
  const found: string[] = [];
  const walk = (node: Node, around: Seen) => {
    let seen = around;
    if ('attrs' in node) {
      if (['head', 'title', 'style'].includes(node.tagName)) return;
      const attribute = (name: string) => node.attrs.find((other) => other.name === name)?.value ?? '';
      const style = (name: string) => new RegExp(`(?:^|;)${name}:(#\\w{6})`).exec(attribute('style'))?.[1];
      if (/display:none/.test(attribute('style'))) return;
      const ground = style('background-color') ?? (attribute('bgcolor') || undefined);
      const colour = style('color');
      seen = { ground: ground ?? seen.ground, colour: colour ?? seen.colour };
      for (const name of attribute('class').split(' ')) seen = { ...seen, ...dark.get(name) };
    }
    if (node.nodeName === '#text' && 'value' in node && node.value.trim() !== '') {
      const ratio = contrast(seen.colour, seen.ground);
      if (ratio < 4.5) found.push(`"${node.value.trim()}": ${seen.colour} on ${seen.ground} is ${ratio.toFixed(2)}`);
    }
    if ('childNodes' in node) for (const child of node.childNodes) walk(child, seen);
  };
  walk(parse(html), { ground: '#ffffff', colour: '#000000' });
  return found;
}

for (const colour of ['#1f5fbf', '#ffd400', '#000000', '#ffffff', '#7f7f7f', '#ff3366', '#0f766e'])
  for (const background of ['#eef1f5', '#101010'])
    test(`text can be read with the colour ${colour} on ${background}, in light and dark`, () => {
      for (const { name, source } of startersIn('en', { ...plainBrand, colour, background })) {
        assert.deepEqual(hardToRead(source, new Map()), [], name);
        assert.deepEqual(hardToRead(source, darkColours(source)), [], `${name}, dark`);
      }
    });

test('a text that is hard to read is found', () => {
  const [letter] = startersIn('en');
  assert.notDeepEqual(hardToRead(letter!.source.replaceAll('#ffffff', '#777777'), new Map()), []);
  assert.notDeepEqual(hardToRead(letter!.source, new Map([['text', { colour: '#eeeeee' }]])), []);
});
