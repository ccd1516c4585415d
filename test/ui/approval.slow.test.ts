// Author and approver: the author asks in the composer, the approver reads on a phone what has changed, comments, asks for changes and then
// approves; the email that leaves is the one that was approved.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createDraft, openSection, ui } from '../support/browser/composer.ts';
import { axe, eventually, noErrors, noSidewaysScroll, screenshots, settled } from '../support/browser/ui.ts';

const password = 'three quiet otters swim';
const people = {
  mia: { email: 'mia@example.com', password, role: 'editor' },
  tom: { email: 'tom@example.com', password, role: 'author' },
} as const;
const invited = new Set<string>();

/** The view of a person who joins when they are first needed. */
async function as(name: keyof typeof people): Promise<Page> {
  const { email, role } = people[name];
  if (!invited.has(email)) {
    const { link } = await ui.installation.call<{ link: string }>('userInvite', { email, role, name });
    const token = decodeURIComponent(new URL(link).hash.slice(1));
    const visitor = await ui.visitor();
    await visitor.request.post(`${ui.installation.base}/session/invitation/join`, { data: { token, name, password } });
    invited.add(email);
  }
  return ui.member({ email, password });
}

const phone = { width: 390, height: 844 };
const page = (text: string) => `<h1>Spring</h1><p>${text}</p><p><a href="*|UNSUB|*">Leave</a></p>`;

test('an author asks, and the approver answers on a phone', async () => {
  const cid = await createDraft('Spring fair');
  const call = <T = unknown>(method: string, params: Record<string, unknown> = {}) =>
    ui.installation.call<T>(method, { cid, ...params });
  await call('campaignUpdate', { name: 'html', value: page('We open on 3 May.') });
  const tom = await as('tom');
  await ui.open(`/campaigns/${cid}/edit`, tom);
  await tom.getByRole('button', { name: 'Review', exact: true }).click();
  await tom.getByRole('textbox', { name: 'Note' }).fill('For the newsletter of May');
  await settled(tom);
  await axe(tom, 'asking for approval');
  await screenshots(tom, 'approval-ask');
  await tom.getByRole('button', { name: 'Ask for approval', exact: true }).click();
  await tom.getByText('has asked for approval').waitFor();

  const mia = await as('mia');
  await mia.setViewportSize(phone);
  await ui.open('/home', mia);
  await mia.getByText('Approval of “Spring fair”').waitFor();
  await mia.getByRole('link', { name: 'Look at it' }).click();
  await mia.getByText('For the newsletter of May').first().waitFor();
  await mia.getByRole('combobox', { name: 'About' }).click();
  await mia.getByRole('option', { name: 'We open on 3 May.' }).click();
  await mia.getByRole('textbox', { name: 'Comment' }).fill('Is it not the 4th?');
  await mia.getByRole('button', { name: 'Add comment' }).click();
  await mia.getByRole('list', { name: 'Comments' }).getByText('Is it not the 4th?').waitFor();
  await mia.getByRole('textbox', { name: 'Note for the author' }).fill('See the comment');
  await mia.getByRole('button', { name: 'Ask for changes' }).click();
  await mia.waitForURL('**/home');

  await ui.open(`/campaigns/${cid}/edit`, tom);
  await openSection('comments', tom);
  await tom.getByText('Is it not the 4th?').waitFor();
  await tom.getByRole('button', { name: 'Resolve: Is it not the 4th?' }).click();
  await tom.getByText('Resolved by').waitFor();
  await call('campaignUpdate', { name: 'html', value: page('We open on 4 May.') });
  await tom.getByRole('button', { name: 'Review', exact: true }).click();
  await tom.getByText('asks for changes').waitFor();
  await tom.getByRole('button', { name: 'Ask for approval', exact: true }).click();
  await tom.getByText('has asked for approval').waitFor();

  await ui.open(`/campaigns/${cid}/approval`, mia);
  await mia.getByText('We open on 3 May.').first().waitFor();
  await mia.getByText('We open on 4 May.').first().waitFor();
  await settled(mia);
  await axe(mia, 'the page of the approver');
  await noSidewaysScroll(mia);
  await screenshots(mia, 'approval');
  await mia.setViewportSize(phone);
  await mia.getByRole('button', { name: 'Approve and send' }).click();
  await mia.waitForURL('**/home');
  await eventually(async () => {
    const { state } = await call<{ state: string }>('campaignApprovalGet');
    assert.equal(state, 'approved');
  });
  noErrors(mia);
  noErrors(tom);
});

test('the rule of the account is set on its screen, which says why it cannot be', async () => {
  await ui.open('/settings/sending');
  const section = ui.page.locator('#approval');
  await section.getByRole('radio', { name: /^Everyone/ }).check();
  await settled(ui.page);
  await axe(ui.page, 'the rule of approvals');
  await screenshots(ui.page, 'approval-rule');
  await ui.page.getByRole('button', { name: 'Save', exact: true }).click();
  await ui.page
    .getByText(/Saved|only one person/)
    .first()
    .waitFor();
});
