// What the journeys share: a service with the built-in inbox, and what its readers get. A journey is the whole work of one kind of
// user, from a file or a webhook to the emails that arrive.
import assert from 'node:assert/strict';
import { testDatabase } from '../support/database/database.ts';
import { InProcess } from '../support/installation/in-process.ts';
import type { Service } from '../support/installation/service.ts';

export type Email = { subject: string; html: string; text: string; source: string };

export type Journey = {
  service: Service;
  call: Service['call'];
  /** Imports a file as a person does who accepts what the preview proposes. Returns what it did, by outcome. */
  bring(list: string, content: string, options?: Record<string, unknown>): Promise<Record<string, number>>;
  /** What has arrived at an address, the oldest first. */
  emails(address: string): Promise<Email[]>;
  /** Waits for the only email with these words in its subject. */
  email(address: string, subject: string): Promise<Email>;
  /** Waits until a campaign has been sent. */
  sent(cid: string): Promise<void>;
  close(): Promise<void>;
};

export async function startJourney(settings: Record<string, string> = {}): Promise<Journey> {
  const database = await testDatabase();
  const service = new InProcess({
    DATABASE_URL: database.url,
    SETUP_EMAIL: 'owner@example.com',
    API_RATE: '10000',
    ...settings,
  });
  await service.start();
  const call: Service['call'] = (method, params) => service.call(method, params);
  const emails = async (address: string) => {
    const found = await call<{ id: string; rcpt_to: string[] }[]>('inboxMessages', { contains: address, limit: 1_000 });
    const ids = found.filter(({ rcpt_to }) => rcpt_to.includes(address)).map(({ id }) => id);
    const whole = await Promise.all(ids.map((id) => call<Email[]>('inboxMessages', { id })));
    return whole.flat().reverse();
  };
  return {
    service,
    call,
    emails,
    async bring(list, content, options = {}) {
      const id = await call<string>('importCreate', { id: list, content, options });
      await call('importStart', { import: id });
      const state = () =>
        call<{ state: string; reason: string; result: Record<string, number> }>('importGet', { import: id });
      await service.until('the import is done', async () => !['ready', 'running'].includes((await state()).state));
      const { state: ended, reason, result } = await state();
      assert.equal(ended, 'done', reason);
      return result;
    },
    async email(address, subject) {
      const found = async () => (await emails(address)).filter((email) => email.subject.includes(subject));
      await service.until(`"${subject}" for ${address}`, async () => (await found()).length > 0, 120, 500);
      const [email, ...more] = await found();
      assert.equal(more.length, 0, `${address} has one email with "${subject}"`);
      return email!;
    },
    async sent(cid) {
      const status = async () => (await call<{ delivery_status: string }>('campaignGet', { cid })).delivery_status;
      await service.until(`campaign ${cid} is sent`, async () => (await status()) === 'sent');
    },
    async close() {
      await service.remove();
      await database.close();
    },
  };
}
