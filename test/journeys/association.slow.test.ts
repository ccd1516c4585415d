// An association with 17 lists writes to all of them in four languages: a person who is on several lists gets one email, in the own
// language, and may leave one list or all.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Journey, startJourney } from './journey.ts';

let journey: Journey;
before(async () => {
  journey = await startJourney();
});
after(() => journey.close());

const versions = {
  de: [
    'Sommerfest, *|FNAME|*',
    '<p>Liebe*|FNAME|*, das Fest beginnt um drei.</p><p><a href="*|UNSUB|*">Abmelden</a></p>',
  ],
  fr: ['Fête, *|FNAME|*', '<p>La fête commence à trois heures.</p><p><a href="*|UNSUB|*">Se désabonner</a></p>'],
  it: ['Festa, *|FNAME|*', '<p>La festa comincia alle tre.</p><p><a href="*|UNSUB|*">Disiscriviti</a></p>'],
} as const;

test('from 17 files to one email each, in four languages', async () => {
  const { call } = journey;
  const languages = ['de', 'fr', 'it', 'en'];
  const lists: string[] = [];
  for (let chapter = 0; chapter < 17; chapter++) {
    const list = await call<string>('listCreate', { title: `Chapter ${chapter + 1}` });
    lists.push(list);
    // Four people of each chapter, and two who are in all of them.
    const people = languages.map((language) => `p${chapter}${language}@example.com;Pat ${chapter};${language}`);
    const content = ['E-Mail;Vorname;Sprache', ...people, 'vera@example.com;Vera;de', 'paul@example.com;Paul;fr'].join(
      '\n',
    );
    const { added } = await journey.bring(list, content, { mapping: { Vorname: 'FNAME', Sprache: 'LANGUAGE' } });
    assert.equal(added, 6);
  }

  const cid = await call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: lists,
      subject: 'Summer party, *|FNAME|*',
      from_email: 'office@example.com',
      from_name: 'The office',
      generate_text: true,
    },
    content: { html: '<p>The party begins at three.</p><p><a href="*|UNSUB|*">Leave</a></p>' },
  });
  for (const [language, [subject, html]] of Object.entries(versions))
    await call('campaignLanguageUpdate', { cid, language, subject, html });
  await call('campaignSendNow', { cid });
  await journey.sent(cid);

  // Once each, although Vera and Paul are on every list.
  const sent = await call<{ language: string; sent: number }[]>('campaignLanguages', { cid });
  assert.deepEqual(Object.fromEntries(sent.map((row) => [row.language, row.sent])), { '': 17, de: 18, fr: 18, it: 17 });
  const vera = await journey.email('vera@example.com', 'Sommerfest, Vera');
  assert.equal((await journey.emails('vera@example.com')).length, 1);
  assert.match(vera.html, /das Fest beginnt um drei/);
  assert.match((await journey.email('paul@example.com', 'Fête, Paul')).html, /à trois heures/);
  assert.match((await journey.email('p3it@example.com', 'Festa')).html, /alle tre/);
  assert.match((await journey.email('p16en@example.com', 'Summer party')).html, /begins at three/);

  // Mail programs unsubscribe in one step from what the email was sent to; the other people stay.
  const link = /^List-Unsubscribe: <?(?:<mailto:[^>]*>,\s*)?<?(https?:[^>]+)>/im.exec(
    vera.source.replace(/\r?\n[ \t]+/g, ' '),
  )![1]!;
  const answer = await fetch(link, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  assert.equal(answer.status, 200, `${link}: ${await answer.clone().text()}`);
  const statusOn = async (list: string, email: string) =>
    (await call<{ status: string }>('listMemberInfo', { id: list, email_address: email })).status;
  for (const list of lists) {
    assert.equal(await statusOn(list, 'vera@example.com'), 'unsubscribed');
    assert.equal(await statusOn(list, 'paul@example.com'), 'subscribed');
  }
});
