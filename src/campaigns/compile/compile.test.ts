// Compiles realistic pages: everything but links stays byte for byte, links can be restored, and every tag is escaped
// for its place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse, parseFragment, serialize } from 'parse5';
import { content, recipient } from '../../../test/support/builders/mail.ts';
import { needLinear } from '../../../test/support/run/linear-time.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { injections } from '../../../test/support/samples/injections.ts';
import { layouts } from '../../../test/support/samples/layouts.ts';
import { type CampaignContent, type Compiled, clickAddress, type Slot } from '../markup/compiled.ts';
import { escapeFor } from '../markup/escape.ts';
import { parseTags } from '../markup/merge-tags.ts';
import { compile } from './compile.ts';
import { asMailed } from './fill.ts';
import { tidyAddresses } from './tidy-addresses.ts';

const untracked = { opens: false, htmlClicks: false, textClicks: false };
const tracked = { opens: true, htmlClicks: true, textClicks: true };

/** The page as one recipient gets it. */
function mailed(html: string, values: Record<string, string> = {}, overrides: Partial<CampaignContent> = {}): string {
  const compiled = compile(content({ html, tracking: untracked, ...overrides }));
  const to = recipient({ values: { FNAME: 'Joe', ...values } });
  return asMailed(compiled, to, to.at, to.tokens).html ?? '';
}

/** A page without its merge tags, so that only links are rewritten. */
const tagless = (html: string) =>
  parseTags(html, 'address')
    .map((token) => (typeof token === 'string' ? token : 'Tag'))
    .join('');

test('without tracking and tags, the compiled page equals the source byte for byte, but for blanks around addresses', () => {
  assert.ok(layouts.length >= 40, String(layouts.length));
  for (const { name, html } of layouts) {
    const source = tagless(html);
    assert.deepEqual(compile(content({ html: source, tracking: untracked })).html, [tidyAddresses(source)], name);
  }
});

test('without tracking, everything between the merge tags of a page stays as it was', () => {
  for (const { name, html: written } of layouts) {
    const html = tidyAddresses(written);
    const pieces = compile(content({ html: written, tracking: untracked })).html ?? [];
    let at = 0;
    for (const piece of pieces) {
      if (typeof piece !== 'string') continue;
      const found = findWithin(html, piece, at);
      assert.ok(found >= 0, `${name}: ${piece.slice(0, 200)}`);
      at = found + piece.length;
    }
  }
});

/** Where the text stands; what a constant tag put into it is left out, and quotes that were added. */
function findWithin(html: string, piece: string, at: number): number {
  const constants = /Shop Ltd|High Street 1<br>Town|News for |^"|"$/;
  let from = -1;
  let end = at;
  for (const part of piece.split(constants)) {
    const found = html.indexOf(part, end);
    if (found < 0) return -1;
    if (from < 0) from = found;
    end = found + part.length;
  }
  return from;
}

test('with all tracked links restored, the page equals the source byte for byte', () => {
  let links = 0;
  for (const { name, html } of layouts) {
    const source = tagless(html);
    const compiled = compile(content({ html: source, tracking: tracked }));
    assert.equal(restored(name, source, compiled), source, name);
    links += compiled.links.length;
  }
  assert.ok(links > 2000, `${links} links`);
});

/** Puts each link's author's spelling back, after checking that it means the target in the link table. */
function restored(name: string, source: string, compiled: Compiled): string {
  let result = '';
  for (const piece of compiled.html ?? []) {
    if (typeof piece === 'string') {
      const unquoted = !source.startsWith(piece, result.length) && piece.startsWith('"') && !result.endsWith('"');
      result += unquoted ? piece.slice(1) : piece;
      continue;
    }
    if (piece.slot === 'pixel') continue;
    assert.equal(piece.slot, 'link', name);
    const added = result.endsWith('"') && !source.startsWith(result.slice(-40), Math.max(0, result.length - 40));
    if (added) result = result.slice(0, -1);
    const quote = added ? '' : result.at(-1)!;
    const rest = source.slice(result.length);
    const spelled = rest.slice(0, added ? rest.search(/[\s>]/) : rest.indexOf(quote));
    const link = parseFragment(`<a href=${quote}${spelled}${quote}>`).childNodes[0] as DefaultTreeAdapterTypes.Element;
    const { target } = compiled.links[(piece as Extract<Slot, { slot: 'link' }>).link]!;
    assert.equal(link.attrs[0]?.value.trim(), target, name);
    result += spelled;
  }
  return result;
}

test('a browser builds the same tree from the compiled page, except for links and the pixel', () => {
  for (const { name, html } of layouts) {
    const source = tagless(html);
    const compiled = compile(content({ html: source, tracking: tracked }));
    const to = recipient();
    const page = asMailed(compiled, to, to.at, to.tokens).html ?? '';
    const clicks = new Map(compiled.links.map((link, i) => [`/c/${to.tokens.click}${i.toString(36)}`, link.target]));
    const back = page
      .replace(/<img src="[^"]*\/o\/[^>]*>/, '')
      .replace(/https:\/\/mail\.shop\.example(\/c\/[A-Za-z0-9_-]{33,36})/g, (_, path: string) => {
        const target = clicks.get(path);
        assert.ok(target !== undefined, `${name}: ${path}`);
        return escapeFor('attribute', target);
      });
    assert.equal(
      tree(back),
      tree(source.replace(/href=" https:\/\/shop\.example\/trim "/, 'href="https://shop.example/trim"')),
      name,
    );
  }
});

/** As a mail program sees it, which runs no script. */
const tree = (html: string) => serialize(parse(html, { scriptingEnabled: false }));

test('tags of other providers that have a meaning here are known, in every notation and place', () => {
  const plain =
    '*|MC:SUBJECT|* #[CURRENT_YEAR]# *[HTML:LIST_ADDRESS_HTML]* *|LIST:ADDRESSLINE|* *|list:description|* *|IF:FNAME|*';
  const compiled = compile(content({ plain, html: plain, language: 'en', subject: 'Spring' }));
  const same = compile(
    content({
      plain:
        '*|CAMPAIGN:SUBJECT|* #[DATE:Y]# *[LIST:ADDRESS]* *|LIST:ADDRESS|* You are receiving this email because you subscribed. ',
      ...{ html: undefined, language: 'en', subject: 'Spring' },
    }),
  );
  assert.deepEqual(compiled.plain, same.plain);
  assert.deepEqual(compiled.unknownTags, []);
  assert.deepEqual(compiled.badConditions, ['*|IF:FNAME|*']);
});

test('each place has its escaping', () => {
  const bad = `"'><script>alert(1)</script>&*|EMAIL|*`;
  const text = '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;*|EMAIL|*';
  const url = '%22%27%3E%3Cscript%3Ealert%281%29%3C%2Fscript%3E%26%2A%7CEMAIL%7C%2A';
  const raw = 'scriptalert1scriptEMAIL';
  const table: [string, string][] = [
    ['<p>*|FNAME|*</p>', `<p>${text}</p>`],
    ['<p title="*|FNAME|*">', `<p title="${text}">`],
    ["<p title='a *|FNAME|*'>", `<p title='a ${text}'>`],
    ['<p title=*|FNAME|*>', `<p title="${text}">`],
    ['<p title=a"*|FNAME|*b>', `<p title="a&quot;${text}b">`],
    ['<title>*|FNAME|*</title>', `<title>${text}</title>`],
    ['<textarea>*|FNAME|*</textarea>', `<textarea>${text}</textarea>`],
    ['<!-- *|FNAME|* -->', `<!-- ${text} -->`],
    ['<!--[if mso]><b>*|FNAME|*</b><![endif]-->', `<!--[if mso]><b>${text}</b><![endif]-->`],
    ['<!--[if *|FNAME|*]><![endif]-->', `<!--[if ${text}]><![endif]-->`],
    ['<a href="https://a.example/*|FNAME|*">', `<a href="https://a.example/${url}">`],
    ['<a href=https://a.example/*|FNAME|*>', `<a href="https://a.example/${url}">`],
    ['<a href="mailto:*|FNAME|*">', `<a href="mailto:${url}">`],
    ['<a href="*|FNAME|*">', '<a href="">'],
    ['<a href=" *|FNAME|*">', '<a href="">'],
    ['<a href="*|SITE|*:8080/*|FNAME|*">', `<a href=":8080/${url}">`],
    ['<a href="javascript:x(\'*|FNAME|*\')">', `<a href="javascript:x('${raw}')">`],
    ['<a href="java&#115;cript:*|FNAME|*">', `<a href="java&#115;cript:${raw}">`],
    ['<img src="https://a.example/*|FNAME|*.png">', `<img src="https://a.example/${url}.png">`],
    ['<img src="data:image/svg+xml,*|FNAME|*">', `<img src="data:image/svg+xml,${raw}">`],
    ['<style>a{color:*|FNAME|*}</style>', `<style>a{color:${raw}}</style>`],
    ['<script>x="*|FNAME|*"</script>', `<script>x="${raw}"</script>`],
    ['<p style="color:*|FNAME|*">', `<p style="color:${raw}">`],
    ['<p style="background:url(*|FNAME|*)">', '<p style="background:url()">'],
    [
      '<p style="background:url(\'https://a.example/*|FNAME|*\')">',
      `<p style="background:url('https://a.example/${url}')">`,
    ],
    ['<p onclick="x(*|FNAME|*)">', `<p onclick="x(${raw})">`],
    ['<iframe srcdoc="*|FNAME|*">', `<iframe srcdoc="${raw}">`],
    ['<p *|FNAME|*>', `<p ${raw}>`],
    ['<p *|FNAME:a="b|*">', '<p *|FNAME:a="b|*">'],
    ['</p *|FNAME|*>', `</p ${raw}>`],
    ['<*|FNAME|*>', `<${text}>`],
    ['<svg><![CDATA[*|FNAME|*]]></svg>', `<svg><![CDATA[${text}]]></svg>`],
    ['<plaintext>*|FNAME|*', `<plaintext>${raw}`],
    ['<p title="*|FNAME|*', `<p title="${raw}`],
  ];
  for (const [html, expected] of table) assert.equal(mailed(html, { FNAME: bad }), expected, html);
});

test('a value is never searched for tags, in any place or part', () => {
  const value = '*|EMAIL|* #[EMAIL]# *[EMAIL]* *|UNSUB|*';
  const compiled = compile(content({ html: '<p>*|FNAME|*</p>', plain: '*|FNAME|*', tracking: untracked }));
  const to = recipient({ values: { FNAME: value } });
  assert.deepEqual(asMailed(compiled, to, to.at, to.tokens), { html: `<p>${value}</p>`, plain: value });
});

test('template-injection strings in content and values come out unchanged', () => {
  for (const text of injections) {
    const html = `<p>${text}</p>`;
    if (!/<|>/.test(text)) assert.equal(mailed(html), html, text);
    const compiled = compile(
      content({ html: '<p>*|FNAME|*</p>', plain: `${text} *|FNAME|*`, subject: `${text}`, tracking: untracked }),
    );
    const to = recipient({ values: { FNAME: text } });
    const { html: page, plain } = asMailed(compiled, to, to.at, to.tokens);
    assert.equal(page, `<p>${escapeFor('text', text)}</p>`);
    assert.equal(plain, `${text} ${text}`);
    assert.equal(compiled.subject.join(''), text.replaceAll('\n', ' '));
  }
});

test('a default may have < and > where there is no markup', () => {
  const line = '*|LNAME:<you>|* & "#[LNAME:a > b]#"';
  const compiled = compile(
    content({ html: '<p>*|CAMPAIGN:SUBJECT|*</p>', plain: line, subject: line, tracking: untracked }),
  );
  const to = recipient({ values: {} });
  const { html, plain } = asMailed(compiled, to, to.at, to.tokens);
  assert.equal(plain, '<you> & "a > b"');
  assert.deepEqual(
    compiled.subject.filter((piece) => typeof piece !== 'string').map((piece) => 'fallback' in piece && piece.fallback),
    ['<you>', 'a > b'],
  );
  assert.equal(html, '<p>&lt;you&gt; &amp; &quot;a &gt; b&quot;</p>');
});

test('an empty value shows the default of the tag, else that of the field', () => {
  const html = '*|FNAME:you|* *|FNAME|* *|LNAME|*.';
  assert.equal(mailed(html, { FNAME: '', LNAME: '' }), 'you friend .');
  assert.equal(mailed(html, { FNAME: '  ' }), 'you friend .');
  assert.equal(mailed(html, { FNAME: 'Ann', LNAME: 'Lee' }), 'Ann Ann Lee.');
  assert.equal(
    mailed('<p title="*|FNAME:a &amp; &quot;b&quot;|*">', { FNAME: '' }),
    '<p title="a &amp; &quot;b&quot;">',
  );
});

test('tags of the campaign and of its lists are filled in when compiling', () => {
  const html =
    '*|CAMPAIGN:SUBJECT|*|*|CAMPAIGN:SENDER_NAME|*|*|LIST:NAME|*|*|LIST:COMPANY|*|*|LIST:ADDRESS|*|*|LIST:URL|*|*|DATE:Y-m-d|*|*|EMAIL_TYPE|*';
  const facts = { subject: 'A & B for *|FNAME|* *|CAMPAIGN:SUBJECT|*', fromName: 'X <Y>' };
  assert.equal(
    mailed(html, {}, facts),
    'A &amp; B for Joe |X &lt;Y&gt;|Customers|Shop Ltd|High Street 1<br>Town|https://shop.example/|2026-03-04|html',
  );
  assert.equal(mailed('<a href="*|LIST:URL|*">x</a>'), '<a href="https://shop.example/">x</a>');
  assert.equal(mailed('<title>*|LIST:ADDRESS|*</title>'), '<title>High Street 1 Town</title>', 'no markup in a title');
  const [list] = content().lists;
  const counted = compile(
    content({
      html: '<a href="*|LIST:URL|*">x</a>',
      lists: [{ ...list!, url: 'https://shop.example/?a=1&b=*|x|*' }],
      tracking: tracked,
    }),
  );
  assert.equal(
    counted.links[0]?.target,
    'https://shop.example/?a=1&b=%2A%7Cx%7C%2A',
    'a list’s site is the author’s own text',
  );
});

test('if the lists differ, the tags show the list that the recipient is reached through', () => {
  const [list] = content().lists;
  const lists = [list!, { ...list!, id: 8, publicId: 'a0000008', name: 'Friends & Co' }];
  const compiled = compile(content({ html: '*|LIST:NAME|*, *|LIST:COMPANY|*', lists, tracking: untracked }));
  const page = (id: number) => {
    const to = recipient({ list: id });
    return asMailed(compiled, to, to.at, to.tokens).html;
  };
  assert.deepEqual(
    [page(7), page(8), page(9)],
    ['Customers, Shop Ltd', 'Friends &amp; Co, Shop Ltd', 'Customers, Shop Ltd'],
  );
});

test('UNSUB becomes a link in text, a URL in an href, plain text inside a link, and nothing in a style', () => {
  const url = `https://mail.shop.example/u/${recipient().tokens.unsubscribe}`;
  assert.equal(mailed('*|UNSUB|*'), `<a href="${url}">Unsubscribe</a>`);
  assert.equal(mailed('*|UNSUB:Go away &amp; stay|*'), `<a href="${url}">Go away &amp; stay</a>`);
  assert.equal(mailed('<a href="*|UNSUB|*">x</a>'), `<a href="${url}">x</a>`);
  assert.equal(mailed('<a href="https://x.example/">*|UNSUB|*</a>'), '<a href="https://x.example/">Unsubscribe</a>');
  assert.equal(mailed('<style>*|UNSUB|*</style>'), '<style></style>');
  assert.equal(mailed('<!-- *|UNSUB|* -->'), `<!-- ${url} -->`);
  assert.equal(mailed('<p title="*|UNSUB|*">'), `<p title="${url}">`);
  assert.equal(
    mailed('<a href="https://x.example/?u=*|UNSUB|*">'),
    `<a href="https://x.example/?u=${encodeURIComponent(url)}">`,
  );
  const to = recipient();
  const { plain } = asMailed(compile(content({ plain: 'Leave: *|UNSUB|*.' })), to, to.at, to.tokens);
  assert.equal(plain, `Leave: ${url}.`);
});

test('the header is first and the footer last in the body, followed by the pixel', () => {
  const frame = { header: { html: '<i>H</i>', plain: 'H' }, footer: { html: '<i>F</i>', plain: 'F *|UNSUB|*' } };
  const table: [string, string][] = [
    ['<html><body>x</body></html>', '<html><body><i>H</i>x<i>F</i>PIXEL</body></html>'],
    ['<html><head></head>x</html>', '<html><head></head><i>H</i>x<i>F</i>PIXEL</html>'],
    ['x', '<i>H</i>x<i>F</i>PIXEL'],
    ['<!doctype html>x', '<!doctype html><i>H</i>x<i>F</i>PIXEL'],
    ['<BODY class=a>x</BODY>y', '<BODY class=a><i>H</i>x<i>F</i>PIXEL</BODY>y'],
    ['<body>x<!-- </body> -->y</body>', '<body><i>H</i>x<!-- </body> -->y<i>F</i>PIXEL</body>'],
    ['<body>x<!-- y', '<body><i>H</i>x<i>F</i>PIXEL<!-- y'],
    ['<body>x<!-- y>', '<body><i>H</i>x<i>F</i>PIXEL<!-- y>'],
    ['<body>x<style>y</body>', '<body><i>H</i>x<i>F</i>PIXEL<style>y</body>'],
    ['<body>x<a href="y', '<body><i>H</i>x<i>F</i>PIXEL<a href="y'],
    ['<body>x<!--[if mso]></body><![endif]-->y', '<body><i>H</i>x<!--[if mso]></body><![endif]-->y<i>F</i>PIXEL'],
  ];
  for (const [html, expected] of table) {
    const page = mailed(html, {}, { ...frame, tracking: { ...untracked, opens: true } });
    assert.equal(page.replace(/<img src="[^"]*\/o\/[^>]*>/, 'PIXEL'), expected, html);
  }
  const to = recipient();
  const { plain } = asMailed(compile(content({ ...frame, plain: 'x' })), to, to.at, to.tokens);
  assert.match(plain ?? '', /^H\n\nx\n\nF https:/);
});

test('the compiled message survives JSON, without NUL and lone surrogates, which the database rejects', () => {
  for (const { html } of layouts) {
    const compiled = compile(content({ html }));
    assert.deepEqual(JSON.parse(JSON.stringify(compiled)), compiled);
  }
  const odd = compile(content({ html: 'a\0b\ud800c', plain: '\0', subject: 'x\0\udfff', fromName: '\0' }));
  assert.doesNotMatch(JSON.stringify(odd), /\\u0000|\\ud[89a-f]/);
});

test('no value opens an element or runs a script, in any page', () => {
  const bits = fc.constantFrom(
    '<p>',
    '</p>',
    '<a href="',
    '">',
    "'",
    '"',
    ' ',
    '=',
    '<!--',
    '-->',
    '<style>',
    '</style>',
    '<script>',
    '</script>',
    '<title>',
    '</title>',
    '<!--[if mso]>',
    '<![endif]-->',
    '*|FNAME|*',
    ' title=',
    'https://a.example/',
    'x',
    '<svg>',
    '</svg>',
    '<textarea>',
    '&',
    '<![CDATA[',
    ']]>',
    '*|FNAME',
  );
  const values = fc.constantFrom(
    '<b id=evil>',
    '"><b id=evil>',
    "'><b id=evil>",
    '--><b id=evil>',
    '</style><b id=evil>',
    '</title><b id=evil>',
    '</script><b id=evil>',
    ' id=evil ',
    '" id="evil',
    "' id='evil",
    'javascript:evil',
    ']]><b id=evil>',
    '|*<b id=evil>',
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 14 }), values, (parts, value) => {
      const page = parse(mailed(parts.join(''), { FNAME: value }));
      const waiting: DefaultTreeAdapterTypes.Node[] = [page];
      for (let node = waiting.pop(); node; node = waiting.pop()) {
        if ('attrs' in node) {
          for (const { name, value: given } of node.attrs) {
            assert.ok(!(name === 'id' && given === 'evil'), `${parts.join('')} with ${value}`);
            if (name === 'href') assert.doesNotMatch(given, /^\s*javascript:/i);
          }
        }
        if ('childNodes' in node) waiting.push(...node.childNodes);
      }
    }),
    { numRuns: runs(5000) },
  );
});

test('with any markup only links change: with them restored, a browser builds the same tree', () => {
  // Without CDATA: whether that is text or a comment depends on the tree, and no reader sees a link in it.
  const bits = fc.constantFrom(
    '<p>',
    '</p>',
    '<a href="https://a.example/1">',
    "<a href='https://a.example/2?a&amp;b'>",
    '<a href=https://a.example/3>',
    '</a>',
    '<a href="https://a.example/4',
    '<table>',
    '<td>',
    '</table>',
    '<svg>',
    '</svg>',
    '<math>',
    '<style>',
    '</style>',
    '<script>',
    '</script>',
    '<title>',
    '</title>',
    '<textarea>',
    '</textarea>',
    '<select>',
    '<option>',
    '<!--',
    '-->',
    '<!--[if mso]>',
    '<![endif]-->',
    '<!',
    '</',
    '<?x',
    '>',
    '"',
    "'",
    '=',
    '&amp',
    '&',
    'x',
    ' ',
    '\n',
    '\r',
    '<plaintext>',
    '<noscript>',
    '<template>',
    '<body>',
    '</body>',
    '</html>',
    '<head>',
    '<frameset>',
    '<b>',
    '</b>',
    '<area href="https://a.example/5">',
    '<iframe>',
    '</iframe>',
    '<xmp>',
    '\ufffd',
    'é',
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 25 }), (parts) => {
      const source = parts.join('');
      const compiled = compile(content({ html: source, tracking: tracked }));
      let back = '';
      for (const piece of compiled.html ?? []) {
        if (typeof piece === 'string') back += piece;
        else if (piece.slot === 'link') back += escapeFor('attribute', compiled.links[piece.link]!.target);
      }
      // Browsers drop line breaks in addresses, and blanks around them; so does the link table. In a conditional
      // comment the tree is one text, where quotes may be added and signs be written as references.
      const trimmed = (html: string) =>
        html
          .replace(/<!--.*?-->/gs, (comment) =>
            comment
              .replace(/["'\s]|&quot;|&#39;/g, '')
              .replaceAll('&amp;', '&')
              .replaceAll('&lt;', '<')
              .replaceAll('&gt;', '>'),
          )
          .replace(/href="([^"]*)"/g, (_, url: string) => `href="${url.replace(/[\t\r\n]/g, '').trim()}"`);
      assert.equal(trimmed(tree(back)), trimmed(tree(source)), source);
    }),
    { numRuns: runs(5000) },
  );
});

test('header, footer and pixel are visible with any markup', () => {
  const bits = fc.constantFrom(
    '<p>',
    '<table>',
    '<td>',
    '</table>',
    '<style>',
    '</style>',
    '<script>',
    '</script>',
    '<title>',
    '</title>',
    '<!--',
    '-->',
    '--!>',
    '<!--[if mso]>',
    '<![endif]-->',
    '<!>',
    '</',
    '<',
    '>',
    '"',
    ' x="',
    'x',
    '<body>',
    '</body>',
    '</html>',
    '<html>',
    '<head>',
    '</head>',
    '<!doctype html>',
    '<textarea>',
    '</textarea>',
    '<iframe>',
    '</iframe>',
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 12 }), (parts) => {
      const source = parts.join('');
      const page = mailed(
        source,
        {},
        { tracking: { ...untracked, opens: true }, footer: { html: '<i id="foot">F</i>', plain: '' } },
      );
      const seen = { foot: 0, pixel: 0 };
      const waiting: DefaultTreeAdapterTypes.Node[] = [parse(page, { scriptingEnabled: false })];
      for (let node = waiting.pop(); node; node = waiting.pop()) {
        if ('attrs' in node) {
          if (node.attrs.some(({ name, value }) => name === 'id' && value === 'foot')) seen.foot++;
          if (node.nodeName === 'img') seen.pixel++;
        }
        if ('childNodes' in node) waiting.push(...node.childNodes);
      }
      if (source !== '') assert.deepEqual(seen, { foot: 1, pixel: 1 }, `${source} became ${page}`);
    }),
    { numRuns: runs(5000) },
  );
});

test('compiling takes linear time for any nesting', async () => {
  const table: ((times: number) => string)[] = [
    (times) => '<table><tr><td>'.repeat(times * 3),
    (times) => '<a href="https://a.example/">*|FNAME|* '.repeat(times),
    (times) => Array.from({ length: times * 3 }, (_, i) => `<a href="https://a.example/${i}">`).join(''),
    (times) => '<!--[if mso]>'.repeat(times * 3),
    (times) => '<!--[if mso]><a href="https://a.example/"><![endif]-->'.repeat(times),
    (times) => '<!--[if mso]>-->'.repeat(times * 3),
    (times) => '<'.repeat(times * 50),
    (times) => '<a '.repeat(times * 15),
    (times) => '*|FNAME|*'.repeat(times * 5),
    (times) => `<p title="${'*|FNAME|*'.repeat(times * 3)}">`,
    (times) => `<p style="${'*|FNAME|*'.repeat(times * 3)}">`,
    (times) => `<a href="https://*|SITE|*/${'*|FNAME|*'.repeat(times * 3)}">`,
    (times) => `<a href=https://*|SITE|*/${'*|FNAME|*'.repeat(times * 3)}>`,
    (times) => `<p style="${'url('.repeat(times * 5)}*|FNAME|*">`,
    (times) => `<p style="${'url(*|FNAME|*) '.repeat(times)}">`,
  ];
  for (const of of table)
    await needLinear(of(1), 3_000, (times) => {
      const html = of(times);
      compile(content({ html, plain: html, tracking: tracked }));
    });
  await needLinear('a URL before tags', 10_000, (times) => {
    const tags = '*|FNAME|*'.repeat(times);
    compile(content({ plain: `https://a.example/${')'.repeat(times * 10)} https://b.example/${tags}` }));
  });
});

test('a test or a member of an item is a problem outside of a loop, and none in one', () => {
  const problems = (html: string) =>
    compile(content({ html })).badLoops?.map(({ problem, text }) => `${problem} ${text}`) ?? [];
  const fields = '*|IF:ITEM:price>5|*x*|END:IF|*';
  assert.deepEqual(problems(fields), ['outside *|IF:ITEM:price>5|*']);
  assert.deepEqual(problems('*|ITEM:name|*'), ['outside *|ITEM:name|*']);
  assert.deepEqual(problems(`*|EACH:EVENT:items|*${fields}*|ITEM:name|**|END:EACH|*`), []);
});

test('the number of a link and of an item are in letters and digits', () => {
  assert.deepEqual(clickAddress('https://a.example', 71, 36), ['https://a.example/c/', '1z-10']);
  assert.deepEqual(clickAddress('https://a.example', 0, 35), ['https://a.example/c/', '0-z']);
});
