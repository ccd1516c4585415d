// Whether the messages of a campaign are signed, and with which keys. Checked for every group of recipients, so that a key
// removed, replaced or broken is noticed within seconds.
// A campaign with `authenticate` is never sent unsigned: it is paused with the reason instead. Other messages are signed
// too if the From domain is active.

import type { App } from '../../base/context.ts';
import { type Message, message, renderMessage } from '../../base/messages.ts';
import { remember } from '../../base/remember.ts';
import { sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { signingKeys } from '../../senders/domains/signing-keys.ts';
import { pauseAutomatically } from '../outcomes/pause-automatically.ts';
import { createSigner, type Signer } from './dkim.ts';
import type { Mail } from './render.ts';

export type Signing = { kind: 'signed'; signer: Signer } | { kind: 'unsigned' } | { kind: 'refused'; why: Message };

/** How long an answer is used again. */
const freshMs = 3_000;
const maxRemembered = 100;

type Remembered = { until: number; answer: Promise<Signing> };
const remembered = new WeakMap<App, Map<string, Remembered>>();

/** @param fromEmail the address in From, whose domain signs */
export function signingOf(app: App, of: CampaignKey, fromEmail: string): Promise<Signing> {
  let answers = remembered.get(app);
  if (!answers) {
    answers = new Map();
    remembered.set(app, answers);
  }
  const key = `${of.account}.${of.campaign}.${fromEmail}`;
  const known = answers.get(key);
  if (known && known.until > performance.now()) return known.answer;
  const answer = readSigning(app, of, fromEmail);
  answer.catch(() => answers.delete(key));
  remember(answers, key, { until: performance.now() + freshMs, answer }, maxRemembered);
  return answer;
}

/** Octets to leave free in front of a message, so that its signature can be written there. */
export function signatureRoom(signing: Signing | undefined): number {
  return signing?.kind === 'signed' ? signing.signer.room : 0;
}

/**
 * The message as it is sent: signed where there is a signer.
 * @param memory has the message behind the room for its signature
 */
export async function signed(signing: Signing | undefined, mail: Mail, memory: Buffer): Promise<Buffer> {
  if (signing?.kind !== 'signed') return mail.whole;
  const { signer } = signing;
  const fields = await signer.sign(mail.head, mail.bodyHash ?? mail.body);
  const start = signer.room - fields.length;
  // A message of a caller may have a signed field several times, and so a longer list of names.
  if (start < 0) return Buffer.concat([Buffer.from(fields, 'latin1'), mail.whole]);
  memory.write(fields, start, 'latin1');
  return memory.subarray(start, signer.room + mail.size);
}

/** Pauses a campaign whose messages would be sent unsigned. */
export async function pauseUnsigned(app: App, of: CampaignKey, why: Message): Promise<void> {
  await app.db.transaction((tx) => pauseAutomatically(tx, of, message('pause.unsigned', { reason: why })));
}

async function readSigning(app: App, of: CampaignKey, fromEmail: string): Promise<Signing> {
  const domain = fromEmail.slice(fromEmail.lastIndexOf('@') + 1).toLowerCase();
  const found = await signingKeys(app, app.db, of.account, domain);
  let why: Message;
  if (found.kind === 'keys') {
    try {
      return { kind: 'signed', signer: createSigner(found.keys) };
    } catch (error) {
      why = message('signing.key_unusable', { domain, error: (error as Error).message });
    }
  } else {
    why = found.why;
  }
  const campaign = await app.db.row<{ authenticate: boolean }>(sql`
    select authenticate from campaign where account_id = ${of.account} and id = ${of.campaign}`);
  if (campaign?.authenticate) return { kind: 'refused', why };
  if (found.kind !== 'none')
    app.log.warn({ account: of.account, why: renderMessage(why) }, 'messages of an active domain are sent unsigned');
  return { kind: 'unsigned' };
}
