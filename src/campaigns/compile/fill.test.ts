import assert from 'node:assert/strict';
import { test } from 'node:test';
import { content, recipient } from '../../../test/support/builders/mail.ts';
import { layouts } from '../../../test/support/samples/layouts.ts';
import { textFromHtml } from '../content/plain-text.ts';
import { dataType } from '../markup/data.ts';
import { compile } from './compile.ts';
import { archiveSubject, archiveText, asMailed, preview, renderArchive, resolveTarget } from './fill.ts';

const at = new Date('2026-03-04T05:06:07Z');

test('the archive has no personal value, no pixel and no personal URL', () => {
  const html = `<title>*|CAMPAIGN:SUBJECT|*</title><p>Hi *|FNAME|* *|LNAME|* *|EMAIL|* *|EMAIL_TYPE|*</p>
<a href="https://a.example/?e=*|EMAIL|*&amp;n=*|FNAME|*">x</a><a href="*|UNSUB|*">u</a> *|UNSUB|* *|UPDATE_PROFILE|* *|ARCHIVE|*<a href="*|ARCHIVE|*">v</a>`;
  const compiled = compile(
    content({ html, plain: '*|FNAME|* *|EMAIL|* https://a.example/?a=1&b=2 *|UNSUB|* *|ARCHIVE|*' }),
  );
  const archive = 'https://mail.shop.example/a/0123456789abcdef';
  assert.equal(
    renderArchive(compiled, at),
    `<title>News for friend</title><p>Hi friend   </p>
<a href="https://a.example/?e=&amp;n=friend">x</a><a href="#">u</a> Unsubscribe Update your profile <a href="${archive}">View in browser</a><a href="${archive}">v</a>`,
  );
  assert.deepEqual(archiveText(compiled, at), {
    subject: 'News for friend',
    plain: `friend  https://a.example/?a=1&b=2  ${archive}`,
  });
});

test('links in the archive lead to their targets without being counted', () => {
  for (const { name, html } of layouts) {
    const page = renderArchive(compile(content({ html })), at) ?? '';
    assert.doesNotMatch(page, /mail\.shop\.example\/[coupv]\//, name);
  }
});

test('a personal URL in the text of a message is a whole link, in an attribute only the URL', () => {
  const to = recipient();
  const html =
    '<p>*|UNSUB|*</p><a href="*|UPDATE_PROFILE|*">p</a><a href="*|UNSUB|*">u</a><a href="https://a.example/">x</a>';
  const tracking = { opens: false, htmlClicks: true, textClicks: true };
  const mailed = asMailed(compile(content({ html, tracking })), to, at, to.tokens).html ?? '';
  const personal = mailed.replaceAll(/(mail\.shop\.example\/[a-z]\/)[\w./-]+/g, '$1…');
  const base = 'https://mail.shop.example';
  assert.equal(
    personal,
    `<p><a href="${base}/u/…">Unsubscribe</a></p><a href="${base}/p/…">p</a><a href="${base}/u/…">u</a><a href="${base}/c/…">x</a>`,
  );
});

test('the facts of a list are those of the list that reached the recipient, else of the first', () => {
  const [first] = content().lists;
  const lists = [first!, { ...first!, id: 8, name: 'Second' }];
  const compiled = compile(content({ html: '<p>*|LIST:NAME|*</p>', lists }));
  const nameFor = (list: number) => preview(compiled, recipient({ list }), at).html;
  assert.deepEqual([8, 7, 0].map(nameFor), ['<p>Second</p>', '<p>Customers</p>', '<p>Customers</p>']);
  assert.equal(preview({ ...compiled, lists: [] }, recipient(), at).html, '<p></p>');
});

test('the subject of the archive is one line without personal URLs', () => {
  const compiled = compile(content({ subject: ' *|FNAME:Friend|*, news of *|LIST:NAME|* *|UNSUB|*' }));
  assert.equal(archiveSubject(compiled, at), 'Friend, news of Customers');
});

test('a plain-text campaign has no archive page', () => {
  const { html: _html, ...rest } = content();
  assert.equal(renderArchive(compile(rest), at), null);
});

test('a preview shows the values of one recipient and counts nothing', () => {
  const compiled = compile(
    content({ html: '<p>Hi *|FNAME|*</p><a href="https://a.example/*|FNAME|*">x</a><a href="*|UNSUB|*">u</a>' }),
  );
  const to = recipient({ values: { FNAME: 'Ann <3', LNAME: 'Lee' } });
  assert.deepEqual(preview(compiled, to, at), {
    subject: 'News for Ann <3',
    fromName: 'The Shop',
    toName: 'Ann <3 Lee',
    html: '<p>Hi Ann &lt;3</p><a href="https://a.example/Ann%20%3C3">x</a><a href="#">u</a>',
    plain: 'Hello Ann <3!\nhttps://shop.example/a?b=1&c=2',
  });
});

test('a click leads to the target with the contact’s values, each encoded as one component', () => {
  const facts = compile(content());
  const to = recipient({ email: 'joe+x@reader.example', values: { FNAME: '../?a=b&c#d', LNAME: '' } });
  const table: [string, string | null][] = [
    ['https://a.example/', 'https://a.example/'],
    ['https://a.example/*|FNAME:friend|*', 'https://a.example/..%2F%3Fa%3Db%26c%23d'],
    [
      'https://a.example/?e=*|EMAIL|*&l=*|LNAME:no%7Cbody|*',
      'https://a.example/?e=joe%2Bx%40reader.example&l=no%7Cbody',
    ],
    ['https://a.example/?d=*|DATE:Y-m-d|*&l=*|LIST:NAME|*', 'https://a.example/?d=2026-03-04&l=Customers'],
    ['https://a.example/?t=*|EMAIL_TYPE|*&n=*|OTHER:none|*&o=*|OTHER|*', 'https://a.example/?t=html&n=none&o='],
    ['https://a.example/?c=*|LIST:COMPANY|*&x=*|DATE|*', 'https://a.example/?c=Shop%20Ltd&x='],
    ['HTTP://a.example/?m=*|LIST:NAMES|*', 'http://a.example/?m='],
    ['https://a.example/ü b?x=é', 'https://a.example/%C3%BC%20b?x=%C3%A9'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['javascript:alert(1)', null],
    ['ftp://a.example/', null],
    ['xhttps://a.example/', null],
    ['https://', null],
    ['//a.example', null],
    ['', null],
  ];
  for (const [target, expected] of table) {
    assert.equal(resolveTarget(target, facts, { recipient: to, at }), expected, target);
  }
  assert.equal(
    resolveTarget('https://a.example/*|FNAME:friend|*', facts, { recipient: null, at }),
    'https://a.example/friend',
    'the contact is gone',
  );
});

test('a click resolves every target that the compiler writes', () => {
  const html =
    '<a href="https://a.example/*|MERGE0|*?n=#[FNAME]#&amp;l=*[LNAME:no|body &amp; co]*#*%7CLNAME:x%20y%7C*">x</a>';
  const compiled = compile(content({ html }));
  const to = recipient({ values: { FNAME: 'A/B', LNAME: '' } });
  assert.equal(
    resolveTarget(compiled.links[0]!.target, compiled, { recipient: to, at }),
    'https://a.example/joe%40reader.example?n=A%2FB&l=no%7Cbody%20%26%20co#x%20y',
  );
});

test('a link of the plain text is counted, and the tags in it are filled at the click', () => {
  const [first] = content().lists;
  const lists = [first!, { ...first!, id: 8, name: 'Second' }];
  const plain = 'https://a.example/?l=*|LIST:NAME|*&d=*|DATE:Y|*';
  const compiled = compile(content({ html: '<p>x</p>', plain, lists }));
  const to = recipient({ list: 8 });
  assert.match(asMailed(compiled, to, at, to.tokens).plain!, /^https:\/\/mail\.shop\.example\/c\/[\w-]+/);
  const [link] = compiled.links;
  assert.deepEqual([link!.html, link!.text], [0, 1]);
  assert.equal(resolveTarget(link!.target, compiled, { recipient: to, at }), 'https://a.example/?l=Second&d=2026');
});

test('a personal URL in the query of another URL is escaped, and has the path of its page', () => {
  const mailed = (tag: string) => {
    const to = recipient();
    const html = `<a href="https://a.example/?u=*|${tag}|*">x</a><a href="*|${tag}|*">y</a>`;
    const tracking = { opens: false, htmlClicks: false, textClicks: false };
    const text = asMailed(compile(content({ html, tracking })), to, at, to.tokens).html ?? '';
    return { whole: /href="(https:[^"?]*)">y/.exec(text)?.[1], part: /u=([^"]*)"/.exec(text)?.[1] };
  };
  for (const [tag, path] of [
    ['UNSUB', '/u/'],
    ['UPDATE_PROFILE', '/p/'],
    ['ARCHIVE', '/v/'],
  ] as const) {
    const { whole, part } = mailed(tag);
    assert.ok(whole?.includes(path), whole);
    assert.equal(part, encodeURIComponent(whole!));
  }
});

test('a condition tests a member of the event by its path', () => {
  const html = '*|IF:EVENT:order.total>100|*large*|ELSE:|*small*|END:IF|*';
  const compiled = compile(content({ html, fields: [{ tag: 'EVENT', type: 'data', default: '' }] }));
  const sent = (total: number) => {
    const to = recipient({ data: { EVENT: { order: { total } } } });
    return asMailed(compiled, to, at, to.tokens).html ?? '';
  };
  assert.match(sent(101), /large/);
  assert.match(sent(99), /small/);
});

test('in plain text an item without an address has no empty parentheses, and no address of a script', () => {
  const html =
    '<table>*|EACH:EVENT:items|*<tr><td><a href="*|ITEM:url|*">*|ITEM:name|*</a> *|ITEM:size|*</td></tr>*|END:EACH|*</table>';
  const compiled = compile(
    content({
      html,
      plain: `${textFromHtml(html)}\n*|EVENT:link|*|*|EVENT:book|*`,
      fields: [...content({}).fields, { tag: 'EVENT', default: '', type: dataType }],
    }),
  );
  const to = recipient({
    data: {
      EVENT: {
        items: [
          { name: 'Tea', size: 1 },
          { name: 'Cup', size: 2, url: 'https://shop.example/cup' },
          { name: 'Pot', size: 3, url: ' JavaScript:alert(1)' },
        ],
        link: 'javascript:alert(2)',
        book: 'JavaScript: a history',
      },
    },
  });
  assert.equal(
    asMailed(compiled, to, at, to.tokens).plain!.replace(/\s+/g, ' ').trim(),
    'Tea 1 Cup (https://shop.example/cup) 2 Pot 3 |JavaScript: a history',
  );
});

test('a subject of the archive has no gap where a personal value was', () => {
  const cases: [string, string][] = [
    ['Nine walks close to *|LNAME|*', 'Nine walks close to …'],
    ['Twelve books for long evenings, *|LNAME|*', 'Twelve books for long evenings'],
    ['*|LNAME|*, your seat is kept', 'your seat is kept'],
    ['Hello *|LNAME|*, welcome', 'Hello …, welcome'],
    ['*|LNAME|*', ''],
  ];
  for (const [subject, shown] of cases) assert.equal(archiveSubject(compile(content({ subject })), at), shown);
});
