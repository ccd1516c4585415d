// Zones, links and the body of HTML sources, sound and broken.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeReferences, isUrlAttribute, readStartTags, readVisible, scanHtml, ZoneFinder } from './scan-html.ts';

test('the body begins after the tags before it, and ends before whatever would hide what is inserted', () => {
  // ^ is where it begins, $ where it ends.
  for (const marked of [
    '^$',
    '^a$',
    '<!doctype html>^<p>a$',
    '<html>^<p>a$</html>',
    '<html><head></head>^a$</html>',
    '<head></head>^a$',
    '<html><head></head><body>^a$</body></html>',
    '<html><head></head><body>^a$</body>b</html>c',
    '<body>^a<!doctype html>b<html>c<head></head>d$',
    '<!--[if mso]><html><head></head><body>x</body></html><![endif]--><body>^a$</body>',
    '^<!--[if mso]><!doctype html><body>x</body></html><![endif]-->a$',
    '^$</body>a',
    '^$</html>',
    '^a$<',
    '^a$</',
    '^a$<<',
    '^$<',
    '<body>^$<',
    '^a<b>c$<',
    '^a$<b c',
    '^a$<!-- b',
    '^a$<!-- bcdefgh',
    '^a<!-- b -->$',
    '^a<!-- b --!>$',
    '^a$<!--!>',
    '^a$<!---!>',
    '^a<!----!>$',
    '^a<!b>$',
    '^a$<!b',
    '^a$<style>b',
    '^a<style>b</style>$',
    '^a$<textarea>b</body>',
    '^a \n$',
    '^a\0$',
  ]) {
    const { bodyStart, bodyEnd } = scanHtml(marked.replace(/[\^$]/g, ''));
    const source = marked.replace(/[\^$]/g, '');
    const shown = `${source.slice(0, bodyStart)}^${source.slice(bodyStart, bodyEnd)}$${source.slice(bodyEnd)}`;
    assert.equal(shown, marked);
  }
});

test('links last from their start tag to their end tag or the next link', () => {
  for (const [source, texts] of [
    ['<a>x</a>-<a>y<a>z', ['x', 'y', 'z']],
    ['</a>x<a>y</a>z</a>', ['y']],
    ['b<!--[if mso]>c<a>x</a><a>y<![endif]-->d', ['x', 'y']],
    ['<b>x</b>', []],
    ['<a>', ['']],
  ] as const)
    assert.deepEqual(
      scanHtml(source).anchors.map(({ start, end }) => source.slice(start, end)),
      texts,
      source,
    );
});

test('zones are tags, attributes, raw texts and comments', () => {
  const zonesOf = (source: string) =>
    scanHtml(source).zones.map((zone) => {
      const text = source.slice(zone.start, zone.end);
      if (zone.zone === 'attribute')
        return `${zone.element} ${zone.name} ${zone.quoted ? 'quoted' : 'bare'} ${text} = ${zone.value}`;
      return [
        zone.zone,
        ...(zone.tag ? [`tag ${zone.tag}`] : []),
        ...(zone.inside ? [`in ${zone.inside}`] : []),
        text,
      ].join(' ');
    });
  for (const [source, zones] of [
    ['<!doctype html>x', ['raw <!doctype html>']],
    [
      'x<a href="y&amp;z" b = c d e=\'f\' g=>t</a>',
      [
        'raw tag a <a href="y&amp;z" b = c d e=\'f\' g=>',
        'a href quoted y&amp;z = y&z',
        'a b bare c = c',
        'a e quoted f = f',
        'a g bare  = ',
        'raw </a>',
      ],
    ],
    ['<b c\t=\n"d">', ['raw tag b <b c\t=\n"d">', 'b c quoted d = d']],
    ['<style>s</style>', ['raw tag style <style>', 'raw in style s', 'raw </style>']],
    ['<script><b></script>', ['raw tag script <script>', 'raw in script <b>', 'raw </script>']],
    ['<title>t</title>', ['raw tag title <title>', 'inert in title t', 'raw </title>']],
    ['<textarea>t', ['raw tag textarea <textarea>', 'inert in textarea t']],
    ['<plaintext>t</b>', ['raw tag plaintext <plaintext>', 'raw in plaintext t</b>']],
    ...['xmp', 'iframe', 'noembed', 'noframes'].map((name): [string, string[]] => [
      `<${name}><b></${name}>`,
      [`raw tag ${name} <${name}>`, `raw in ${name} <b>`, `raw </${name}>`],
    ]),
    ['<style></style>', ['raw tag style <style>', 'raw </style>']],
    ['a<!-- b -->c', ['inert <!-- b -->']],
    [
      'a<!--[if mso]><b c=d>e<![endif]-->f',
      ['inert <!--[if mso]>', 'raw tag b <b c=d>', 'b c bare d = d', 'inert <![endif]-->'],
    ],
    [
      'a<!-- [IF mso]><!doctype x><!-- c --><style>d</style><![endif]-->f',
      [
        'inert <!-- [IF mso]><!doctype x><!-- c -->',
        'raw tag style <style>',
        'raw in style d',
        'raw </style>',
        'inert <![endif]-->',
      ],
    ],
    [
      '<!--[if mso]><!doctype x><style>d</style><i<![endif]-->',
      [
        'inert <!--[if mso]>',
        'raw <!doctype x>',
        'raw tag style <style>',
        'raw in style d',
        'raw </style>',
        'raw <i',
        'inert <![endif]-->',
      ],
    ],
    ['<!--[if mso]><![endif]-->', ['inert <!--[if mso]>', 'inert <![endif]-->']],
    ['<!--[if mso]>-->', ['inert <!--[if mso]>-->']],
    ['<!--[if mso <![endif]-->', ['inert <!--[if mso <![endif]-->']],
    ['<!--[iffy]>a<![endif]-->', ['inert <!--[iffy]>a<![endif]-->']],
    ['<!--[if mso]><b><![endif]', ['inert <!--[if mso]><b><![endif]', 'raw <!--[if mso]><b><![endif]']],
    ['a<b c="d"', ['raw <b c="d"']],
  ] as [string, string[]][])
    assert.deepEqual(zonesOf(source), zones, source);
});

test('the zone of an offset is the attribute rather than its tag', () => {
  const source = 'x<a b="c">y<!--z-->';
  const finder = new ZoneFinder(scanHtml(source).zones);
  const found = [...source].map((_, offset) => {
    const zone = finder.at(offset);
    return zone === null ? '-' : zone.zone === 'attribute' ? 'a' : zone.zone === 'raw' ? 'r' : 'i';
  });
  assert.equal(found.join(''), '-rrrrrrarr-iiiiiiii'.slice(0, source.length));
  assert.equal(finder.at(source.length), null);
});

test('the next zone after an offset is found', () => {
  const next = (offset: number) => new ZoneFinder(scanHtml('x<a b="c">y').zones).nextStart(offset);
  assert.deepEqual([0, 1, 6, 7, 10].map(next), [1, 7, 7, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
});

test('attributes that hold addresses are known', () => {
  const names =
    'action href src srcset background cite data formaction longdesc lowsrc dynsrc poster ping usemap codebase classid archive manifest profile xlink:href o:href';
  for (const name of names.split(' ')) assert.equal(isUrlAttribute(name), true, name);
  for (const name of ['', 'title', 'alt', 'style']) assert.equal(isUrlAttribute(name), false, name);
});

test('character references are decoded, tags are not read', () => {
  assert.equal(decodeReferences('a &amp; b&#33;&lt;<b> &eacute;\n'), 'a & b!<<b> é\n');
  assert.equal(decodeReferences('<b>'), '<b>');
});

test('start tags are read with their attributes, and raw texts are skipped', () => {
  const tags = readStartTags(
    '<a b="&amp;" c><style><b></style><script><i></script><title><u></title><!--<s>--><p><plaintext><q>',
  );
  assert.deepEqual(
    tags.map(({ name }) => name),
    ['a', 'style', 'script', 'title', 'p', 'plaintext'],
  );
  assert.deepEqual(
    [...tags[0]!.attributes],
    [
      ['b', '&'],
      ['c', ''],
    ],
  );
});

test('what a reader sees is read line by line; elements of running text end no line', () => {
  const lines = (html: string, withHidden = false) => readVisible(html, withHidden).texts;
  for (const name of 'a abbr b big code em font i mark s small span strong strike sub sup u'.split(' '))
    assert.deepEqual(lines(`one <${name}>two</${name}> three`), ['one two three'], name);
  for (const name of ['p', 'div', 'td', 'h1', 'li'])
    assert.deepEqual(lines(`one<${name}>two</${name}>three`), ['one', 'two', 'three'], name);
  assert.deepEqual(lines('one<br>two'), ['one', 'two']);
  assert.deepEqual(lines('a<style>b</style><script>c</script><title>d</title>e'), ['a', 'e']);
  assert.deepEqual(lines('<textarea>a</textarea><xmp><b></xmp>'), ['a', '<b>']);
});

test('what is hidden by its own style is left out, with all that is in it', () => {
  const html = '<p>1</p><div style="display: none">2<div>3</div>4</div><p>5</p><span style="DISPLAY:NONE">6</span>7';
  assert.deepEqual(readVisible(html).texts, ['1', '5', '7']);
  assert.deepEqual(readVisible(html, true).texts, ['1', '2', '3', '4', '5', '67']);
  assert.equal(readVisible('<div style="display:none"><img></div>').shows, false);
  assert.equal(readVisible('<div style="display:none"><img></div>', true).shows, true);
});

test('pictures and the like show something without any text', () => {
  for (const name of 'img picture svg v:fill v:image video audio object embed iframe canvas input'.split(' '))
    assert.deepEqual(readVisible(`<${name}></${name}>`), { texts: [], shows: true }, name);
  for (const html of [
    '<td background="a.png">',
    '<p style="background-image: url(a.png)">',
    '<p style="background:red url(a)">',
  ])
    assert.equal(readVisible(html).shows, true, html);
  for (const html of ['<p>x</p>', '<p style="background: red">', '<hr>', '<p style="color:url(a)">'])
    assert.equal(readVisible(html).shows, false, html);
});
