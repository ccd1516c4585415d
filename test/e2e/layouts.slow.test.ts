// Newsletters of many kinds through one whole installation: campaignCreate, campaignSendNow, the workers, the built-in
// inbox, and a MIME parser. The result is compared with the source element by element: texts, links (each followed to
// its target) and pictures; and the message with the limits of SMTP.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DefaultTreeAdapterTypes as Dom, parse } from 'parse5';
import PostalMime from 'postal-mime';
import { textFromHtml } from '../../src/campaigns/content/plain-text.ts';
import { type TestDatabase, testDatabase } from '../support/database/database.ts';
import { InProcess } from '../support/installation/in-process.ts';
import { layouts } from '../support/samples/layouts.ts';

const email = 'zoe+news@reader.example';
const values: Record<string, string> = {
  FNAME: `Zoë & "Zed" <i>O'Hara</i>`,
  LNAME: 'Byron',
  EMAIL: email,
  'LIST:COMPANY': 'Kettle & Sons',
  'LIST:ADDRESS': 'High Street 1, Town',
};

type Received = { source: Buffer; html: string; text: string };
let service: InProcess;
let database: TestDatabase;
const received: Received[] = [];
const subjectOf = (n: number) => `Layout ${n}`;

before(async () => {
  database = await testDatabase();
  service = new InProcess({ DATABASE_URL: database.url });
  await service.start();
  const list = await service.call<string>('listCreate', {
    title: 'Readers',
    options: { company: values['LIST:COMPANY'], address: values['LIST:ADDRESS'] },
  });
  await service.call('listSubscribe', {
    id: list,
    email_address: email,
    merge_vars: { FNAME: values.FNAME, LNAME: values.LNAME },
    double_optin: false,
  });
  for (const [n, { html }] of layouts.entries()) {
    const cid = await service.call<string>('campaignCreate', {
      type: 'HTML',
      options: {
        list_id: list,
        subject: subjectOf(n),
        from_email: 'editors@example.com',
        from_name: 'The editors',
        generate_text: true,
        tracking: { opens: true, html_clicks: true, text_clicks: true },
      },
      content: { html },
    });
    await service.call('campaignSendNow', { cid });
  }
  type Listed = { id: string; subject: string };
  let listed: Listed[] = [];
  await service.until('every campaign is in the inbox', async () => {
    listed = await service.call<Listed[]>('inboxMessages', { limit: 1_000 });
    return listed.length === layouts.length;
  });
  for (const n of layouts.keys()) {
    const { id } = listed.find((item) => item.subject === subjectOf(n))!;
    const [message] = await service.call<{ source: string }[]>('inboxMessages', { id });
    const source = Buffer.from(message!.source, 'utf8');
    const { html = '', text = '' } = await PostalMime.parse(source);
    received.push({ source, html, text });
  }
});
after(async () => {
  await service.remove();
  await database.close();
});

test('every message obeys the limits of SMTP, and survives changes that servers make to lines', () => {
  assert.ok(layouts.length >= 40);
  for (const [n, { source }] of received.entries()) {
    const { name } = layouts[n]!;
    const text = source.toString('latin1');
    assert.doesNotMatch(text.replaceAll('\r\n', ''), /[\r\n]/, `${name}: a bare CR or LF`);
    assert.doesNotMatch(text, /[^\t\r\n -~]/, `${name}: something else than printable ASCII`);
    assert.doesNotMatch(text, /^Content-Transfer-Encoding: (?:8bit|binary)/im, name);
    const lines = text.split('\r\n');
    assert.ok(Math.max(...lines.map((line) => line.length)) <= 998, name);
    // A signature breaks when a server on the way takes blanks off, doubles a dot or writes >From.
    const body = lines.slice(lines.indexOf(''));
    assert.deepEqual(
      body.filter((line) => /[ \t]$|^From |^\./.test(line)),
      [],
      name,
    );
  }
});

test('every page arrives as written, with the values filled in; every link has its target', async (t) => {
  let followed = 0;
  for (const [n, { name, html }] of layouts.entries()) {
    // A message ends with a line end, whatever its page ends with.
    const got = received[n]!.html.replace(pixel, '').replace(footer, '').replace(/\n$/, '');
    assert.notEqual(got, received[n]!.html, `${name}: no pixel`);
    const clicks = await targets(got);
    followed += clicks.size;
    const want = outline(parse(html), (text, place) => filled(text, place, n));
    const have = outline(parse(got), (text, place) =>
      place === 'href' && clicks.has(text) ? clicks.get(text)! : text.replace(anyClick, (click) => clicks.get(click)!),
    );
    assert.deepEqual(have.map(own), want.map(own), name);
    const links = want.filter((part) => /^<(?:a|area)\b.* href=https?:/i.test(part)).length;
    assert.ok(clicks.size > 0 || links === 0, `${name}: nothing was counted`);
  }
  assert.ok(followed > 1_500, String(followed));
  t.diagnostic(`${followed} links of ${layouts.length} layouts followed`);
});

test('every plain part has the text of the page, and its links are links of the page', async () => {
  for (const [n, { name, html }] of layouts.entries()) {
    const { text } = received[n]!;
    const pageTargets = new Set((await targets(received[n]!.html)).values());
    for (const target of (await targets(text)).values()) {
      assert.ok(pageTargets.has(target), `${name}: ${target}`);
    }
    const want = textFromHtml(html)
      .split(address)
      .map((piece) => filled(piece, 'text', n).replace(/\s+/g, ' ').trim());
    let at = 0;
    const said = text.replace(/\s+/g, ' ');
    for (const piece of want.filter((item) => !/\*\||https?:/.test(item))) {
      const found = said.indexOf(piece, at);
      assert.ok(found >= 0, `${name}: "${piece.slice(0, 200)}" is not in the plain part behind ${at}`);
      at = found;
    }
  }
});

const pixel = /<img src="[^"]*\/o\/[\w-]{32}" width="1" height="1"[^>]*>/;
/** The standard signature, which pages without a link to unsubscribe get; it has no element of this kind in it. */
const footer = /<div style="margin:24px 0 0;padding:12px 0 0;(?:(?!<div)[\s\S])*?<\/div>/;
const anyClick = /http:\/\/127\.0\.0\.1:\d+\/c\/[\w-]+/g;
const address = /https?:\/\/[^\s]+|\*\|(?:UNSUB|UPDATE_PROFILE|ARCHIVE)\|\*/gi;

/** Where each click address in a text leads. */
const known = new Map<string, string>();
async function targets(text: string): Promise<Map<string, string>> {
  const clicks = [...new Set(text.match(anyClick))];
  for (let from = 0; from < clicks.length; from += 20)
    await Promise.all(
      clicks.slice(from, from + 20).map(async (click) => {
        if (known.has(click)) return;
        const answer = await fetch(click, { redirect: 'manual', headers: { 'user-agent': 'Thunderbird/128.0' } });
        assert.equal(answer.status, 302, click);
        known.set(click, answer.headers.get('location')!);
      }),
    );
  return new Map(clicks.map((click) => [click, known.get(click)!]));
}

/** A text with the values in it, as this test understands the three notations. */
function filled(text: string, place: string, n: number): string {
  const link = place === 'href' || place === 'src' || place === 'style' || place === 'comment link';
  const put = text.replace(
    /\*(?:\||%7C)((?:LIST:|CAMPAIGN:)?[A-Z_]+)(?::(\w+))?(?:\||%7C)\*|#(?:\[|%5B)([A-Z_]+)(?::(\w+))?(?:\]|%5D)#|\*\[([A-Z_]+)\]\*/g,
    (...found: (string | undefined)[]) => {
      const name = found[1] ?? found[3] ?? found[5]!;
      if (name === 'UNSUB' || name === 'UPDATE_PROFILE' || name === 'ARCHIVE') return `own:${name}`;
      const value = name === 'CAMPAIGN:SUBJECT' ? subjectOf(n) : values[name]!;
      return link ? encodeURIComponent(value).replace(/'/g, '%27') : value;
    },
  );
  return place === 'href' && /^\s*https?:\/\//i.test(put) ? new URL(put.trim()).href : put;
}

/** The recipient's own addresses, by what they are for. */
function own(part: string): string {
  return part
    .replace(/http:\/\/127\.0\.0\.1:\d+\/u\/[\w-]+/, 'own:UNSUB')
    .replace(/http:\/\/127\.0\.0\.1:\d+\/p\/[\w-]+/, 'own:UPDATE_PROFILE')
    .replace(/http:\/\/127\.0\.0\.1:\d+\/v\/[\w-]+/, 'own:ARCHIVE');
}

type Change = (text: string, place: string) => string;

/** A page as a list of its parts, in order: elements with their attributes, texts, comments. */
function outline(node: Dom.Node, change: Change): string[] {
  if ('value' in node) return [`text ${change(node.value, 'text')}`];
  if ('data' in node) return [`comment ${commented(node.data, change)}`];
  const parts: string[] = [];
  if ('tagName' in node) {
    const isLink = node.tagName === 'a' || node.tagName === 'area';
    const attributes = node.attrs.map(({ name, value }) => {
      const place = name === 'href' && !isLink ? 'src' : name;
      return `${name}=${change(value, place)}`;
    });
    parts.push(`<${node.tagName} ${attributes.join(' ')}>`);
    if ('content' in node) parts.push(...outline(node.content as Dom.Node, change));
  }
  for (const child of 'childNodes' in node ? node.childNodes : []) parts.push(...outline(child, change));
  return parts;
}

/** Outlook reads markup within comments: the links of its buttons are counted too. */
function commented(text: string, change: Change): string {
  return text
    .split(/(href="[^"]*")/)
    .map((piece, i) =>
      i % 2 === 1 ? change(piece.slice(6, -1).replaceAll('&amp;', '&'), 'href') : change(piece, 'text'),
    )
    .join('');
}
