// A preview text takes the place of the one that a page has, in whatever form templates write it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPreviewText } from './preview-text.ts';

const ours = '\n<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">New &amp; &lt;fresh&gt;</div>';
const text = 'New & <fresh>';

for (const old of [
  '',
  '<div style="display:none">Old</div>',
  '\n  <div class="preheader" style="font-size:1px;display: none !important;">Old</div>',
  "<div style='display:none'>Old</div>",
  '<div style=display:none>Old</div>',
  '<span style="DISPLAY:NONE">Old</span>',
  '<div style="display:none"><span>Old <b>text</b></span></div>',
  '<div style="display:none"><div>Old</div>&zwnj;&nbsp;</div>',
  '<p style="visibility:hidden">Old</p>',
  '<div style="max-height:0;overflow:hidden">Old</div>',
  '<span style="mso-hide:all;opacity:0">Old</span>',
])
  test(`replaced: ${old}`, () => {
    assert.equal(
      withPreviewText(`<body bgcolor="white">${old}<p>Text</p></body>`, text),
      `<body bgcolor="white">${ours}<p>Text</p></body>`,
    );
    assert.equal(withPreviewText(`<body>${old}<p>Text</p></body>`, ''), '<body><p>Text</p></body>');
  });

test('comments before it stay, and what is not hidden or stands later stays too', () => {
  const after = (html: string) =>
    withPreviewText(`<body>${html}</body>`, text).slice(`<body>${ours}`.length, -'</body>'.length);
  assert.equal(after('<!-- preheader --> <div style="display:none">Old</div><p>x</p>'), '<!-- preheader --><p>x</p>');
  assert.equal(
    after('<!--[if mso]><p>o</p><![endif]--><span style="display:none">Old</span>x'),
    '<!--[if mso]><p>o</p><![endif]-->x',
  );
  for (const html of [
    '<div>Seen</div>',
    '<p>x</p><div style="display:none">Later</div>',
    '<div style="max-height:0.5em">Seen</div>',
    '<img style="display:none" src="https://example.com/a.png">',
    '<div style="display:none">never closed',
    'Text <div style="display:none">x</div>',
  ])
    assert.equal(after(html), html);
});

test('it is in the body, not in one of a comment; without a body it is first', () => {
  const comment = '<!doctype html><!-- <body> --><html><body>';
  assert.equal(withPreviewText(`${comment}<p>x</p>`, text), `${comment}${ours}<p>x</p>`);
  assert.equal(withPreviewText('<p>x</p>', text), `${ours}<p>x</p>`);
  assert.equal(withPreviewText('<!doctype html><p>x</p>', text), `<!doctype html>${ours}<p>x</p>`);
});
