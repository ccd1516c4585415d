// Merge conditions as recipients get them: one table of cases, each in the subject, the plain text and the HTML of a message
// that is rendered and read back, and random nestings against a simple evaluation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { content, mailOf, recipient } from '../../../test/support/builders/mail.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { compile } from '../../campaigns/compile/compile.ts';
import { prepare } from './render.ts';

const fields = ['FNAME', 'CITY', 'AGE', 'SINCE', 'END'].map((tag) => ({ tag, type: 'text', default: '' }));
const untracked = { opens: false, htmlClicks: false, textClicks: false };

type Values = Record<string, string>;

/** The subject, plain text and HTML of a message with this text in all three. */
async function received(text: string, values: Values, html = text, parts: Parameters<typeof content>[0] = {}) {
  const compiled = compile(
    content({ subject: text, plain: `[${text}]`, html: `<p>[${html}]</p>`, fields, tracking: untracked, ...parts }),
  );
  const mail = await PostalMime.parse(mailOf(prepare(compiled).render(recipient({ values }))));
  const between = (part: string | undefined) => /\[([\s\S]*)\]/.exec(part ?? '')?.[1] ?? '';
  return { subject: mail.subject ?? '', plain: between(mail.text), html: between(mail.html), compiled };
}

const ada = { FNAME: 'Ada', CITY: 'Berlin', AGE: '36', SINCE: '2025-03-01' };

/** The text, the values, and what is to be read. */
const cases: [text: string, values: Values, expected: string][] = [
  ['*|IF:FNAME|*Hi *|FNAME|**|END:IF|*', ada, 'Hi Ada'],
  ['*|IF:FNAME|*Hi *|FNAME|**|END:IF|*', {}, ''],
  ['*|IF:FNAME|*Hi *|FNAME|**|ELSE:|*Hello*|END:IF|*', {}, 'Hello'],
  ['*|IF:FNAME|*a*|ELSE|*b*|END:IF|*', {}, 'b'],
  ['*|IF:FNAME|*a*|ELSE:|*b*|ENDIF|*', { FNAME: '  ' }, 'b'],
  ['*|IFNOT:FNAME|*Who?*|END:IF|*', {}, 'Who?'],
  ['*|IFNOT:FNAME|*Who?*|ELSE:|*You*|END:IF|*', ada, 'You'],
  ['*|IF:CITY=Berlin|*here*|ELSEIF:CITY=Paris|*there*|ELSE:|*away*|END:IF|*', ada, 'here'],
  ['*|IF:CITY=Berlin|*here*|ELSEIF:CITY=Paris|*there*|ELSE:|*away*|END:IF|*', { CITY: 'paris' }, 'there'],
  ['*|IF:CITY=Berlin|*here*|ELSEIF:CITY=Paris|*there*|ELSE:|*away*|END:IF|*', { CITY: 'Rome' }, 'away'],
  ['*|IF:CITY = "New York"|*NY*|ELSE:|*no*|END:IF|*', { CITY: 'New York' }, 'NY'],
  ['*|IF:CITY != Berlin|*far*|ELSE:|*near*|END:IF|*', ada, 'near'],
  ['*|IF:CITY != Berlin|*far*|ELSE:|*near*|END:IF|*', {}, 'far'],
  ['*|IF:AGE > 18|*adult*|ELSE:|*young*|END:IF|*', ada, 'adult'],
  ['*|IF:AGE > 100|*old*|ELSE:|*not*|END:IF|*', ada, 'not'],
  ['*|IF:AGE >= 36|*yes*|END:IF|*', ada, 'yes'],
  ['*|IF:AGE < 100|*yes*|END:IF|*', ada, 'yes'],
  ['*|IF:AGE <= 35|*yes*|ELSE:|*no*|END:IF|*', ada, 'no'],
  ['*|IF:AGE < 100|*yes*|ELSE:|*unknown*|END:IF|*', {}, 'unknown'],
  ['*|IF:AGE = 36.0|*same*|END:IF|*', ada, 'same'],
  ['*|IF:SINCE >= 2025-01-01|*this year*|ELSE:|*before*|END:IF|*', ada, 'this year'],
  ['*|IF:EMAIL = joe@reader.example|*Joe*|END:IF|*', {}, 'Joe'],
  ['*|IF:MERGE1|*first*|END:IF|*', ada, 'first'],
  ['*|IF:FNAME|**|IF:CITY=Berlin|*both*|ELSE:|*name*|END:IF|**|ELSE:|*none*|END:IF|*', ada, 'both'],
  ['*|IF:FNAME|**|IF:CITY=Paris|*both*|ELSE:|*name*|END:IF|**|ELSE:|*none*|END:IF|*', ada, 'name'],
  ['*|IF:FNAME|*a*|END:IF|* and *|IF:CITY|*b*|END:IF|*', ada, 'a and b'],
  ['#[IF:FNAME]#x#[END:IF]#', ada, 'x'],
  ['*[IF:FNAME]*x*[ELSE:]*y*[END:IF]*', {}, 'y'],
  ['*|if:fname|*x*|end:if|*', ada, 'x'],
  [
    '*|IF:FNAME|**|FNAME|* from *|CITY|**|END:IF|*',
    { FNAME: 'Zoë & Co <b>', CITY: '“Köln”' },
    'Zoë & Co <b> from “Köln”',
  ],
  ['*|IF:FNAME|*a*|END:IF|*b', {}, 'b'],
  ['b*|IF:FNAME|*a*|END:IF|*', {}, 'b'],
  ['b*|IF:FNAME|**|END:IF|*', ada, 'b'],
  ['*|IF:FNAME|**|ELSE:|*b*|END:IF|*', ada, ''],
  ['*|IF:FNAME|*a*|ELSEIF:CITY|*b*|END:IF|*', { CITY: 'Rome' }, 'b'],
  ['*|IF:FNAME|*a*|ELSEIF:CITY|*b*|END:IF|*', {}, ''],
  ['*|IF:FNAME|*a*|ELSEIF:CITY|*b*|END:IF|*', ada, 'a'],
  ['*|IF:CITY=Rome|*1*|ELSEIF:CITY=Oslo|*2*|ELSEIF:CITY=Berlin|*3*|ELSE:|*4*|END:IF|*', ada, '3'],
  ['*|IF:CITY=Berlin|*1*|ELSEIF:CITY=Berlin|*2*|END:IF|*', ada, '1'],
  ['*|IFNOT:CITY=Berlin|*no*|ELSE:|*yes*|END:IF|*', ada, 'yes'],
  ['*|IFNOT:CITY=Berlin|*no*|ELSE:|*yes*|END:IF|*', {}, 'no'],
  ['*|IF:FNAME|*a*|ELSEIFNOT:CITY|*b*|ELSE:|*c*|END:IF|*', { CITY: 'Rome' }, 'c'],
  ['*|IF:FNAME|*a*|ELSEIFNOT:CITY|*b*|ELSE:|*c*|END:IF|*', {}, 'b'],
  ['*|IF:CITY==Berlin|*here*|END:IF|*', ada, 'here'],
  ['*|IF:CITY="Berlin"|*here*|END:IF|*', ada, 'here'],
  ["*|IF:CITY='Berlin'|*here*|END:IF|*", ada, 'here'],
  ['*|IF:CITY=BERLIN|*here*|END:IF|*', ada, 'here'],
  ['*|IF:CITY=Köln|*here*|END:IF|*', { CITY: 'KÖLN' }, 'here'],
  ['*|IF:CITY=|*none*|ELSE:|*some*|END:IF|*', {}, 'none'],
  ['*|IF:CITY=|*none*|ELSE:|*some*|END:IF|*', ada, 'some'],
  ['*|IF:AGE=036|*same*|ELSE:|*other*|END:IF|*', ada, 'same'],
  ['*|IF:AGE > 4|*more*|ELSE:|*fewer*|END:IF|*', ada, 'more'],
  ['*|IF:AGE > -1|*more*|ELSE:|*fewer*|END:IF|*', { AGE: '0' }, 'more'],
  ['*|IF:AGE < 36.5|*less*|END:IF|*', ada, 'less'],
  ['*|IF:CITY > Aachen|*after*|ELSE:|*before*|END:IF|*', ada, 'after'],
  ['*|IF:SINCE < 2025-03-01|*before*|ELSE:|*from then on*|END:IF|*', ada, 'from then on'],
  ['*|IF:SINCE <= 2025-03-01|*until then*|END:IF|*', ada, 'until then'],
  ['*|IF:FNAME|*Dear *|FNAME:friend|**|ELSE:|*Dear friend*|END:IF|*', ada, 'Dear Ada'],
  ['*|IF:FNAME|*Dear *|FNAME|**|ELSE:|*Dear *|FNAME:friend|**|END:IF|*', {}, 'Dear friend'],
  ['*|IF:FNAME|*1*|END:IF|**|IF:CITY|*2*|END:IF|**|IFNOT:AGE|*3*|END:IF|*', ada, '12'],
  ['*|IF:FNAME|**|IFNOT:CITY|*a*|ELSE:|**|IF:AGE>30|*b*|END:IF|**|END:IF|**|END:IF|*', ada, 'b'],
  ['*|IF:FNAME|*x*|END:IF|*', { FNAME: '*|CITY|*', CITY: 'y' }, 'x'],
  ['*|IF:FNAME|*a*|IF:CITY|*b', {}, 'ab'],
  ['a*|END:IF|*b*|ELSE:|*c', ada, 'abc'],
  ['*|IF:FNAME and CITY|*both*|END:IF|*', {}, 'both'],
];

test('conditions give the same text in the subject, the plain part and the HTML', async () => {
  for (const [text, values, expected] of cases) {
    const { subject, plain, html } = await received(text, { ...values });
    const shown = html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    assert.deepEqual({ subject, plain, html: shown }, { subject: expected, plain: expected, html: expected }, text);
  }
  assert.ok(cases.length >= 60, `${cases.length} cases`);
});

test('conditions that are incomplete or cannot be read are reported as they were written', () => {
  const bad = (plain: string) => compile(content({ plain, html: undefined, fields })).badConditions;
  assert.deepEqual(bad('*|IF:FNAME|*a'), ['*|IF:FNAME|*']);
  assert.deepEqual(bad('a*|END:IF|*'), ['*|END:IF|*']);
  assert.deepEqual(bad('*|IF:FNAME|*a*|ELSE:|*b*|ELSE:|*c*|END:IF|*'), ['*|ELSE:|*']);
  assert.deepEqual(bad('*|IF:FNAME and CITY|*a*|END:IF|*'), ['*|IF:FNAME and CITY|*']);
  assert.deepEqual(bad('*|IF:FNAME|*a*|END:IF|*'), []);
  assert.ok(
    compile(content({ plain: '*|IF:NOPE|*a*|END:IF|*', html: undefined, fields })).unknownTags.includes('NOPE'),
  );
});

test('a field that has the name of a condition stays a field', async () => {
  const { plain, compiled } = await received('*|IF:END|**|END|**|END:IF|*', { END: 'fin' });
  assert.equal(plain, 'fin');
  assert.deepEqual(compiled.badConditions, []);
});

test('links in a branch are tracked, and those of branches that are not chosen are not in the message', async () => {
  const page =
    '*|IF:FNAME|*<a href="https://example.com/known">known</a>*|ELSE:|*<a href="https://example.com/new">new</a>*|END:IF|* <a href="https://example.com/*|IF:CITY|*c*|END:IF|*">x</a> <a href="*|UNSUB|*">leave</a>';
  const parts = { tracking: { opens: true, htmlClicks: true, textClicks: true } };
  const known = await received('x', ada, page, parts);
  assert.deepEqual(
    known.compiled.links.map(({ target }) => target),
    ['https://example.com/known', 'https://example.com/new'],
  );
  const addresses = [...known.html.matchAll(/href="([^"]*)"/g)].map(([, address]) => address!);
  assert.equal(addresses.length, 3);
  assert.match(addresses[0]!, /\/c\/[\w-]{32}0$/);
  assert.equal(addresses[1], 'https://example.com/c');
  const unknown = await received('x', {}, page, parts);
  assert.match(unknown.html, /href="[^"]*\/c\/[\w-]{32}1"/);
  assert.match(unknown.html, /href="https:\/\/example\.com\/"/);
});

type Tree = string | { field: string; value: string | null; shown: Tree[]; otherwise: Tree[] | null };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('abc', ' ', 'x\r\ny', '.dot', 'é', 'From here', '='),
    fc.record({
      field: fc.constantFrom('FNAME', 'CITY'),
      value: fc.option(fc.constantFrom('Ada', 'Bob'), { nil: null }),
      shown: fc.array(tie('tree'), { maxLength: 3 }),
      otherwise: fc.option(fc.array(tie('tree'), { maxLength: 3 }), { nil: null }),
    }),
  ),
}));

const written = (node: Tree): string =>
  typeof node === 'string'
    ? node
    : `*|IF:${node.field}${node.value === null ? '' : `=${node.value}`}|*${node.shown.map(written).join('')}${
        node.otherwise === null ? '' : `*|ELSE:|*${node.otherwise.map(written).join('')}`
      }*|END:IF|*`;
const evaluated = (node: Tree, values: Values): string => {
  if (typeof node === 'string') return node;
  const value = values[node.field] ?? '';
  const holds = node.value === null ? value !== '' : value === node.value;
  return (holds ? node.shown : (node.otherwise ?? [])).map((child) => evaluated(child, values)).join('');
};

test('random nestings read as a simple evaluation of them', async () => {
  const values = fc.record({ FNAME: fc.constantFrom('', 'Ada', 'Bob'), CITY: fc.constantFrom('', 'Ada', 'Bob') });
  await fc.assert(
    fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 4 }), values, async (nodes, given) => {
      const { plain, compiled } = await received(nodes.map(written).join(''), given);
      assert.deepEqual(compiled.badConditions, []);
      const expected = nodes.map((node) => evaluated(node, given)).join('');
      assert.equal(plain.replace(/\r\n/g, '\n'), expected.replace(/\r\n/g, '\n'));
    }),
    { numRuns: runs(200) },
  );
});

test('a subject with conditions is the same in the text, in links and in the subject itself', async () => {
  const subject = '*|IF:CITY=Berlin|*Hi *|FNAME|**|ELSE:|*Hello*|END:IF|*';
  const html =
    '<title>*|CAMPAIGN:SUBJECT|*</title><p>[*|CAMPAIGN:SUBJECT|*]</p><p>*|MC:SUBJECT|*</p><a href="https://example.com/?s=*|CAMPAIGN:SUBJECT|*">x</a>';
  for (const tracking of [untracked, { opens: false, htmlClicks: true, textClicks: true }])
    for (const [values, expected] of [
      [ada, 'Hi Ada'],
      [{}, 'Hello'],
    ] as const) {
      const compiled = compile(content({ subject, plain: '[*|CAMPAIGN:SUBJECT|*]', html, fields, tracking }));
      assert.deepEqual([compiled.unknownTags, compiled.badConditions], [['LNAME'], []]);
      const mail = await PostalMime.parse(mailOf(prepare(compiled).render(recipient({ values }))));
      assert.equal(mail.subject, expected);
      assert.match(mail.text!, new RegExp(`\\[${expected}\\]`));
      const link = `https://example.com/?s=${encodeURIComponent(expected)}`;
      assert.ok(
        mail.html!.includes(`<title>${expected}</title><p>[${expected}]</p><p>${expected}</p><a href="${link}">`),
        mail.html,
      );
    }
});
