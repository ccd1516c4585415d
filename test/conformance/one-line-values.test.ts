// Values of one line (subjects, names, titles) through the methods that set them: a line break becomes a space, and a
// control character is refused with the name of the member.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Fault } from '../../src/base/faults.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { draftOf, type Fixture, makeAccount, makePlaceholder } from './fixture.ts';

let app: TestApp;
let own: Fixture;
before(async () => {
  app = await testApp();
  own = await makeAccount(app.app);
});
after(() => app.close());

const broken = 'One\r\nTwo\nThree\u2028Four\tFive';
const folded = 'One Two Three Four Five';
const control = 'One\u0007Two';

const campaign = (cid: string) => own.call<Record<string, unknown>>('campaignGet', { cid });

for (const member of ['subject', 'from_name', 'to_email', 'title'] as const) {
  test(`${member} of a campaign has no line break, at creation and at a change`, async () => {
    const cid = await own.call<string>('campaignCreate', draftOf(own.list, { options: { [member]: broken } }));
    assert.equal((await campaign(cid))[member], folded);
    await own.call('campaignUpdate', { cid, name: member, value: 'x' });
    await own.call('campaignUpdate', { cid, name: member, value: broken });
    assert.equal((await campaign(cid))[member], folded);
  });
  test(`${member} of a campaign with a control character is refused by name and leaves nothing behind`, async () => {
    await assert.rejects(
      own.call('campaignCreate', draftOf(own.list, { options: { [member]: control } })),
      refused(`options.${member} contains control characters`),
    );
    const cid = (await makePlaceholder(app.app, own, 'campaign'))!;
    const before = await campaign(cid);
    await assert.rejects(
      own.call('campaignUpdate', { cid, name: member, value: control }),
      refused(`${member} contains control characters`),
    );
    assert.deepEqual(await campaign(cid), before);
  });
}

test('names of lists, fields, segments and templates have no line break', async () => {
  const id = await own.call<string>('listCreate', { title: broken });
  const list = async () => (await own.call<{ id: string; name: string }[]>('lists')).find((row) => row.id === id)!;
  assert.equal((await list()).name, folded);
  await own.call('listUpdate', { id, name: 'title', value: 'x' });
  await own.call('listUpdate', { id, name: 'title', value: broken });
  assert.equal((await list()).name, folded);
  await assert.rejects(own.call('listCreate', { title: control }), refused('title contains control'));
  await assert.rejects(
    own.call('listUpdate', { id, name: 'title', value: control }),
    refused('title contains control'),
  );

  await own.call('listMergeVarAdd', { id, tag: 'CITY', name: broken });
  const fields = await own.call<{ tag: string; name: string }[]>('listMergeVars', { id });
  assert.equal(fields.find(({ tag }) => tag === 'CITY')?.name, folded);

  const filter = [{ field: 'EMAIL', condition: 'contains', value: 'x' }];
  await own.call('listSegmentCreate', { list: id, title: broken, match: 'all', filter });
  assert.equal((await own.call<{ name: string }[]>('listSegments', { id }))[0]?.name, folded);

  const template_id = await own.call<string>('templateCreate', { name: broken, source: '<p>x</p>' });
  const template = async () =>
    (await own.call<{ id: string; name: string }[]>('campaignTemplates')).find((row) => row.id === template_id)!;
  assert.equal((await template()).name, folded);
  await own.call('templateUpdate', { template_id, name: 'name', value: `${broken}!` });
  assert.equal((await template()).name, `${folded}!`);
});

/** For assert.rejects: a fault whose text begins so. */
function refused(start: string): (error: unknown) => true {
  return (error) => {
    assert.ok((error as Fault).message.startsWith(start), String(error));
    return true;
  };
}
