// Feeds whose guids, addresses, titles or dates change their form: what an issue sent is never sent again, what is really new is,
// and an issue in which everything known seems new waits for a person. On a real database, with feeds from a real server.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { item, rss } from '../../test/support/samples/feeds/sample.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { runDue } from './issue/due.ts';

type Post = { id?: string; title: string; link?: string; day?: number | string; text?: string };
type Issue = { state: string; reason: string; items: number; campaign: string };
let app: TestApp;
let server: Server;
let body = '';

before(async () => {
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await app.close();
});

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const serve = (posts: readonly Post[], title = 'Harbour Notes') => {
  body = rss(
    posts
      .map(({ id, title, link, day, text }) =>
        item(
          [
            id !== undefined && `<guid isPermaLink="false">${xml(id)}</guid>`,
            `<title>${xml(title)}</title>`,
            link !== undefined && `<link>${xml(link)}</link>`,
            day !== undefined &&
              `<pubDate>${typeof day === 'string' ? day : new Date(Date.UTC(2025, 0, day, 9)).toUTCString()}</pubDate>`,
            text !== undefined && `<description>${xml(text)}</description>`,
          ]
            .filter(Boolean)
            .join(''),
        ),
      )
      .join(''),
    '',
    title,
  );
};

let count = 0;
async function series(): Promise<string> {
  const list = await app.call<string>('listCreate', { title: `List ${++count}` });
  await app.call('listSubscribe', { id: list, email_address: 'reader@example.com', double_optin: false });
  const id = await app.call<string>('recurringCreate', {
    title: `Series ${count}`,
    list,
    schedule: { type: 'daily', time: '09:00' },
    time_zone: 'UTC',
    source_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`,
  });
  await app.call('recurringResume', { id });
  await app.app.db.run(sql`
    update recurring set next_at = '2027-03-01T09:00Z', try_at = '2027-03-01T09:00Z' where id = ${parseId(id)}`);
  return id;
}
/** Makes the issue of a day of March. */
async function issueOf(id: string, day: number): Promise<Issue> {
  const clock = new Date(Date.UTC(2027, 2, day, 9));
  await runDue(app.app, { account: app.account.id, recurring: parseId(id) }, clock);
  return (await app.call<{ data: Issue[] }>('recurringIssues', { id })).data[0]!;
}
const html = async ({ campaign }: Issue) =>
  (await app.call<{ html: string }>('campaignContent', { cid: campaign })).html;

/** A blog as it was: five posts, the newest first. */
const names = ['Harbour dues rise', 'Lamps on the pier', 'Tide tables explained', 'Ropes and knots', 'A winter ferry'];
const blog = (change: (post: Required<Omit<Post, 'day'>> & { day: number }, no: number) => Post): Post[] =>
  names.map((title, i) => {
    const no = 5 - i;
    const text = `${title}: what the harbour master says about it, in a few plain words for everyone on the quay.`;
    const slug = title.toLowerCase().replaceAll(' ', '-');
    return change(
      { id: `http://site.example/?p=${no}`, title, link: `http://site.example/${slug}/`, day: no * 3, text },
      no,
    );
  });
const asBefore = blog((post) => post);
const fresh: Post = {
  id: 'https://site.example/?p=6',
  title: 'Really new',
  link: 'https://site.example/really-new/',
  day: 40,
  text: 'Something that no one has written about before this day, at some length.',
};

type Move = { name: string; posts: Post[]; before?: Post[]; title?: string };
const https = (address: string) => address.replace('http:', 'https:');
/** Each shows the same five posts in another form: they are known. */
const moves: Move[] = [
  { name: 'https', posts: blog((p) => ({ ...p, id: https(p.id), link: https(p.link) })) },
  {
    name: 'www',
    posts: blog((p) => ({ ...p, id: p.id.replace('//', '//www.'), link: p.link.replace('//', '//www.') })),
  },
  { name: 'no trailing slash', posts: blog((p) => ({ ...p, id: p.link.slice(0, -1), link: p.link.slice(0, -1) })) },
  {
    name: 'tracking parameters',
    posts: blog((p) => ({ ...p, id: `${p.link}?utm_source=rss&utm_medium=feed`, link: `${p.link}?utm_source=rss` })),
  },
  { name: 'numeric guids', posts: blog((p, no) => ({ ...p, id: String(8000 + no) })) },
  { name: 'no guids', posts: blog(({ id: _, ...p }) => p) },
  {
    name: 'a new permalink scheme',
    posts: blog((p, no) => {
      const link = p.link.replace('example/', `example/2027/01/${no}/`);
      return { ...p, id: link, link };
    }),
  },
  {
    name: 'a new domain with numbers as addresses',
    posts: blog((p, no) => ({ ...p, id: `urn:x:${no}`, link: `https://new.example/archive/${no + 40}` })),
  },
  { name: 'guids, and dates of the day of the move', posts: blog((p, no) => ({ ...p, id: `n${no}`, day: 45 })) },
  { name: 'guids, and dates that are gone', posts: blog(({ day: _, ...p }, no) => ({ ...p, id: `n${no}` })) },
  {
    name: 'guids, addresses and the zone of the dates',
    posts: blog((p, no) => ({
      ...p,
      id: `n${no}`,
      link: `https://new.example/${no}`,
      day: new Date(Date.UTC(2025, 0, p.day, 17)).toUTCString(),
    })),
  },
  {
    name: 'guids, addresses, and the name of the site in the titles',
    posts: blog((p, no) => ({
      ...p,
      id: `n${no}`,
      link: `https://new.example/${no}`,
      title: `${p.title} – Harbour Notes`,
    })),
  },
  {
    name: 'another order, without dates',
    before: blog(({ day: _, ...p }) => p),
    posts: blog(({ day: _, ...p }) => p).reverse(),
  },
  {
    name: 'guids of a feed without dates',
    before: blog(({ day: _, ...p }) => p),
    posts: blog(({ day: _, ...p }, no) => ({ ...p, id: `n${no}` })).reverse(),
  },
  {
    name: 'titles and guids, with the same addresses',
    posts: blog((p, no) => ({ ...p, id: `n${no}`, title: `No. ${no}`, day: p.day })),
  },
  {
    name: 'Drupal guids over https',
    before: blog((p, no) => ({ ...p, id: `${no} at http://site.example` })),
    posts: blog((p, no) => ({ ...p, id: `${no} at https://www.site.example`, title: `Part ${no}`, link: `/n/${no}` })),
  },
  {
    name: 'addresses of a proxy that counts',
    posts: blog((p, no) => ({ ...p, id: `n${no}`, link: `https://proxy.example/~r/harbour/${no}/abcXYZ${no * 77}` })),
  },
  {
    name: 'addresses in another case of percent signs, with a port, a fragment and a session',
    before: blog((p, no) => ({ ...p, id: '', link: `http://site.example/caf%c3%a9/${no}` })).map(
      ({ id: _, ...p }) => p,
    ),
    posts: blog((p, no) => ({
      ...p,
      title: `${p.title}!`,
      link: `https://WWW.site.example:443/caf%C3%A9/${no}/?sid=f00${no}#utm_source=rss`,
    })).map(({ id: _, ...p }) => p),
  },
  {
    name: 'guids, titles, texts and dates, with the same addresses',
    posts: blog((p, no) => ({ ...p, id: `n${no}`, title: `No. ${no}`, text: `Text ${no}`, day: 45 })),
  },
  {
    name: 'titles with other quotes, signs and case, and other addresses',
    before: blog((p) => ({ ...p, title: `The “${p.title}” - isn't it?` })),
    posts: blog((p, no) => ({ ...p, id: `n${no}`, link: `/x/${no}`, title: `THE "${p.title}" – isn’t it` })),
  },
  {
    name: 'a part of the guids only',
    posts: blog((p, no) => (no > 3 ? p : { ...p, id: `n${no}`, link: https(p.link) })),
  },
  {
    name: 'texts that became longer, with new guids and dates',
    posts: blog((p, no) => ({ ...p, id: `n${no}`, text: `${p.text} And more.`, day: 45 - no })),
  },
  { name: 'new guids at each request', posts: blog((p) => ({ ...p, id: crypto.randomUUID(), day: 50 })) },
];

for (const { name, posts, before: earlier = asBefore } of moves)
  test(`a feed that moved: ${name}`, async () => {
    const id = await series();
    serve(earlier);
    assert.equal((await issueOf(id, 1)).items, 5);
    serve(posts);
    const moved = await issueOf(id, 2);
    assert.deepEqual([moved.state, moved.reason], ['skipped', 'nothing new']);
    // From then on only what is new is sent, whichever form comes.
    serve([fresh, ...posts]);
    const next = await issueOf(id, 3);
    assert.deepEqual([next.state, next.items], ['sent', 1]);
    assert.match(await html(next), /Really new/);
    serve([fresh, ...earlier]);
    assert.equal((await issueOf(id, 4)).state, 'skipped');
  });

for (const { name, posts, before: earlier = asBefore } of moves)
  test(`a feed that moved and has one new item: ${name}`, async () => {
    const id = await series();
    serve(earlier);
    await issueOf(id, 1);
    serve(posts.some(({ day }) => day !== undefined) ? [fresh, ...posts] : [{ ...fresh, day: undefined! }, ...posts]);
    const issue = await issueOf(id, 2);
    assert.deepEqual([issue.state, issue.items], ['sent', 1]);
    const sent = await html(issue);
    assert.match(sent, /Really new/);
    for (const title of names) assert.ok(!sent.includes(title), title);
  });

/** Nothing is left by which the posts are known for sure, but much speaks against their being new. */
const doubtful: Move[] = [
  {
    name: 'other guids, addresses and titles, and the old dates',
    posts: blog(({ text: _, ...p }, no) => ({
      ...p,
      id: `n${no}`,
      link: `https://new.example/${no}`,
      title: `Beitrag ${no}`,
    })),
  },
  {
    name: 'other guids and addresses, and dates of the day of the move',
    posts: blog(({ text: _, ...p }, no) => ({ ...p, id: `n${no}`, link: `https://new.example/${no}`, day: 45 })),
  },
  {
    name: 'a feed without dates that keeps its titles',
    before: blog(({ day: _, text: __, ...p }) => p),
    posts: blog(({ day: _, text: __, ...p }, no) => ({ ...p, id: `n${no}`, link: `https://new.example/${no}` })),
  },
  {
    name: 'a feed without dates that keeps its texts',
    before: blog(({ day: _, ...p }) => p),
    posts: blog(({ day: _, ...p }, no) => ({
      ...p,
      id: `n${no}`,
      link: `https://new.example/${no}`,
      title: `Beitrag ${no}`,
    })),
  },
  {
    name: 'a single post with another guid, address and date',
    before: [
      { id: '1', title: 'The only one', link: 'http://site.example/?p=1', text: `${'The same words. '.repeat(9)}` },
    ],
    posts: [
      {
        id: 'x',
        title: 'The only one',
        link: 'http://site.example/one',
        day: 30,
        text: `${'The same words. '.repeat(9)}`,
      },
    ],
  },
];
for (const { name, posts, before: earlier = asBefore } of doubtful)
  test(`everything seems new, so a person is asked: ${name}`, async () => {
    const id = await series();
    serve(earlier);
    await issueOf(id, 1);
    serve(posts);
    const preview = await app.call<{ ok: boolean; reason: string }>('recurringPreview', { id });
    assert.equal(preview.ok, true);
    assert.match(preview.reason, /may have been sent before/);
    const issue = await issueOf(id, 2);
    assert.deepEqual([issue.state, issue.items], ['waiting', posts.length]);
    assert.match(issue.reason, /may have been sent before/);
    await app.call('recurringSkip', { campaign: issue.campaign });
    assert.equal((await issueOf(id, 3)).state, 'skipped');
    // The person is asked once.
    serve([{ ...fresh, ...(posts[0]!.day === undefined && { day: undefined! }) }, ...posts]);
    const next = await issueOf(id, 4);
    assert.deepEqual([next.state, next.items], ['sent', 1]);
  });

test('a database from before the marks: a feed that moves at once is asked about, and is known once it was read', async () => {
  const forget = (id: string) =>
    app.app.db.run(sql`
      update recurring_item
      set guid_mark = '', link_mark = '', slug_mark = '', title_mark = '', text_mark = '', published_at = null
      where recurring_id = ${parseId(id)}`);
  const moved = blog((p, no) => ({ ...p, id: `n${no}` }));
  const asked = await series();
  serve(asBefore);
  await issueOf(asked, 1);
  await forget(asked);
  serve(moved);
  assert.equal((await issueOf(asked, 2)).state, 'waiting');
  const known = await series();
  serve(asBefore);
  await issueOf(known, 1);
  await forget(known);
  assert.equal((await issueOf(known, 2)).state, 'skipped');
  serve(moved);
  assert.equal((await issueOf(known, 3)).state, 'skipped');
});

/** Ordinary feeds: what is new is sent without a question. */
const ordinary: { name: string; before: Post[]; after: Post[]; items: number }[] = [
  {
    name: 'only new items, all others have left the feed',
    before: asBefore,
    after: ['Six', 'Seven', 'Eight'].map((title, i) => ({
      id: title,
      title,
      link: `http://site.example/${title}`,
      day: 30 + i,
    })),
    items: 3,
  },
  {
    name: 'only new items, without dates',
    before: [{ id: 'a', title: 'One', link: 'http://site.example/1' }],
    after: ['Two', 'Three'].map((title) => ({ id: title, title, link: `http://site.example/${title}` })),
    items: 2,
  },
  {
    name: 'a series whose items have the same title',
    before: [
      { id: 'w1', title: 'Open thread', link: 'http://site.example/2027/01/01/open-thread', day: 1 },
      ...asBefore,
    ],
    after: [
      { id: 'w2', title: 'Open thread', link: 'http://site.example/2027/01/20/open-thread', day: 20 },
      { id: 'w1', title: 'Open thread', link: 'http://site.example/2027/01/01/open-thread', day: 1 },
      ...asBefore,
    ],
    items: 1,
  },
  {
    name: 'a series whose earlier items have left the feed',
    before: [{ id: 'w1', title: 'Menu', link: 'http://site.example/w1', day: 1 }],
    after: [{ id: 'w2', title: 'Menu', link: 'http://site.example/w2', day: 8 }],
    items: 1,
  },
  {
    name: 'one old title among new ones',
    before: [{ id: 'w1', title: 'Links of the week', link: 'http://site.example/l1', day: 1 }, ...asBefore],
    after: [
      { id: 'w2', title: 'Links of the week', link: 'http://site.example/l2', day: 30 },
      { id: 'x', title: 'Fog signals', link: 'http://site.example/fog-signals', day: 29 },
      { id: 'y', title: 'Buoys', link: 'http://site.example/buoys', day: 28 },
    ],
    items: 3,
  },
  {
    name: 'one address with new content under a new guid',
    before: [
      { id: 'm1', title: 'Menu of January', link: 'http://site.example/menu', day: 1, text: 'Soup.' },
      ...asBefore,
    ],
    after: [
      { id: 'm2', title: 'Menu of February', link: 'http://site.example/menu', day: 32, text: 'Fish.' },
      ...asBefore,
    ],
    items: 1,
  },
  {
    name: 'a podcast whose episodes have one address',
    before: [1, 2, 3].map((no) => ({
      id: `e${no}`,
      title: `Episode ${no}`,
      link: 'http://site.example/podcast',
      day: no,
    })),
    after: [1, 2, 3, 4].map((no) => ({
      id: `e${no}`,
      title: `Episode ${no}`,
      link: 'http://site.example/podcast',
      day: no,
    })),
    items: 1,
  },
  {
    name: 'parts of one page',
    before: [1, 2].map((no) => ({ title: `1.${no}`, link: `http://site.example/changes#v1.${no}`, day: no })),
    after: [1, 2, 3].map((no) => ({ title: `1.${no}`, link: `http://site.example/changes#v1.${no}`, day: no })),
    items: 1,
  },
  {
    name: 'a post that was finished late',
    before: asBefore,
    after: [...asBefore, { id: 'late', title: 'Written long ago', link: 'http://site.example/late', day: 8 }],
    items: 1,
  },
  {
    name: 'a feed that begins to show its archive',
    before: asBefore,
    after: [
      fresh,
      ...asBefore,
      ...[1, 2, 3, 4].map((no) => ({
        id: `o${no}`,
        title: `Archive ${no}`,
        link: `http://site.example/o/${no}`,
        day: -no * 30,
      })),
    ],
    items: 1,
  },
  {
    name: 'numbers as guids and addresses',
    before: [1, 2, 3].map((no) => ({
      id: `${no}`,
      title: `Notice ${no}`,
      link: `http://site.example/?p=${no}`,
      day: no,
    })),
    after: [4, 5, 6].map((no) => ({
      id: `${no}`,
      title: `Notice ${no}`,
      link: `http://site.example/?p=${no}`,
      day: no,
    })),
    items: 3,
  },
  {
    name: 'events, dated on their day',
    before: [{ id: 'e1', title: 'Regatta', link: 'http://site.example/e/1', day: 1000 }],
    after: [{ id: 'e2', title: 'Market', link: 'http://site.example/e/2', day: 900 }],
    items: 1,
  },
];
for (const { name, before: earlier, after: later, items } of ordinary)
  test(`an ordinary feed: ${name}`, async () => {
    const id = await series();
    serve(earlier);
    await issueOf(id, 1);
    serve(later);
    const issue = await issueOf(id, 2);
    assert.deepEqual([issue.state, issue.items, issue.reason], ['sent', items, '']);
    assert.equal((await issueOf(id, 3)).state, 'skipped');
  });

test('a single email each day with the same title and text is asked about once at most', async () => {
  const id = await series();
  const states: string[] = [];
  for (let day = 1; day <= 5; day++) {
    const text = 'The harbour office is open from nine to five, and closed on Sundays and holidays.';
    serve([{ id: `d${day}`, title: 'Opening hours', link: `http://site.example/d/${day}`, day: 58 + day, text }]);
    const issue = await issueOf(id, day);
    states.push(issue.state);
    if (issue.state === 'waiting') await app.call('recurringApprove', { campaign: issue.campaign });
  }
  assert.deepEqual(states.filter((state) => state !== 'sent').length <= 1, true, states.join(' '));
  assert.ok(!states.includes('skipped'));
});
