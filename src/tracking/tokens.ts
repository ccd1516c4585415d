// The signed tokens in a recipient's message: click, open, view, unsubscribe, profile, confirm, and the bounce address; those
// of the choices which the unsubscribe page offers, and of a new address.
// Guarantees that a token can be verified with the secret alone, without a database row, as long as the secret is kept;
// that a token of one purpose is not valid for another; and that no token can be forged without the secret (96-bit MACs).
// A click's link number is not part of the MAC, so the 20 links of a message cost one MAC, not 20. This is safe: a reader of
// the message has all its links, and the number is only looked up in the link table of the campaign.
import { hash, timingSafeEqual } from 'node:crypto';

/** A recipient of a campaign: the stored ids and the recipient's number within the campaign. */
export type RecipientIds = { account: number; campaign: number; seq: number };

/**
 * What an unsubscribe or profile URL carries, so that it works permanently, also after the campaign is deleted. In the URL of a
 * confirmation or a new address, `campaign` names the address (confirm-token.ts).
 */
export type SubscriptionIds = { account: number; campaign: number; contact: number; lists: readonly number[] };

export type RecipientPurpose = 'click' | 'open' | 'view' | 'bounce';
export type SubscriptionPurpose = 'unsubscribe' | 'profile' | 'confirm' | 'choices' | 'address';

/** Makes and reads tokens. */
export type TokenMaker = {
  /**
   * The tokens of one message; `bounce` is a local part that survives a change of case. `message` is for the Message-ID:
   * anyone may see that, in replies and archives, so it gives access to nothing.
   */
  tokens(
    to: RecipientIds & { contact: number; lists: readonly number[] },
  ): Record<RecipientPurpose | SubscriptionPurpose | 'message', string>;
  readRecipient(purpose: RecipientPurpose, token: string): RecipientIds | null;
  readSubscription(purpose: SubscriptionPurpose, token: string): SubscriptionIds | null;
};

/** A token of 32 characters: 12 bytes of ids and 12 of MAC. */
const tokenLength = 32;
const macLength = 16;
/** Lists in one token, as many as a campaign may have. Its links have up to 565 characters then. */
export const maxLists = 100;

const recipientSlices: Record<RecipientPurpose, number> = { click: 0, open: 1, view: 2, bounce: 3 };
const messageSlice = 4;
const subscriptionSlices: Record<SubscriptionPurpose, number> = {
  unsubscribe: 0,
  profile: 1,
  confirm: 2,
  choices: 3,
  address: 4,
};

/**
 * @param secrets of at least 16 characters each: the first signs, all of them verify
 * @param messageSecret makes Message-IDs. It verifies nothing and must never change, so that a copy has the Message-ID of the
 * original, also after the secrets have changed.
 */
export function tokenMaker(secrets: readonly string[], messageSecret: string): TokenMaker {
  if (secrets.length === 0 || [...secrets, messageSecret].some((secret) => secret.length < 16)) {
    throw new Error('tokens need a secret of at least 16 characters');
  }
  const recipientMacs = secrets.map(recipientMacOf);
  const subscriptionMacs = secrets.map((secret) => macOf(`postrider token 1 subscription ${secret}`));
  // Usually the first secret: then one MAC serves both.
  const messageMac = recipientMacs[secrets.indexOf(messageSecret)] ?? recipientMacOf(messageSecret);
  const ids = Buffer.alloc(12);
  return {
    tokens({ account, campaign, seq, contact, lists }) {
      writeIds(ids, [account, campaign, seq]);
      const idText = ids.toString('base64url');
      const macs = recipientMacs[0]!(ids);
      const messageMacs = messageMac === recipientMacs[0] ? macs : messageMac(ids);
      const subscription = Buffer.allocUnsafe(12 + 4 * Math.min(lists.length, maxLists));
      writeIds(subscription, [account, campaign, contact, ...lists.slice(0, maxLists)]);
      const subscriptionText = subscription.toString('base64url');
      const subscriptionMac = subscriptionMacs[0]!(subscription);
      return {
        click: idText + slice(macs, recipientSlices.click),
        open: idText + slice(macs, recipientSlices.open),
        view: idText + slice(macs, recipientSlices.view),
        bounce: Buffer.from(idText + slice(macs, recipientSlices.bounce), 'base64url').toString('hex'),
        message: Buffer.from(slice(messageMacs, messageSlice), 'base64url').toString('hex'),
        unsubscribe: subscriptionText + slice(subscriptionMac, subscriptionSlices.unsubscribe),
        profile: subscriptionText + slice(subscriptionMac, subscriptionSlices.profile),
        confirm: subscriptionText + slice(subscriptionMac, subscriptionSlices.confirm),
        choices: subscriptionText + slice(subscriptionMac, subscriptionSlices.choices),
        address: subscriptionText + slice(subscriptionMac, subscriptionSlices.address),
      };
    },
    readRecipient(purpose, text) {
      const token = purpose === 'bounce' ? fromHex(text) : text;
      const bytes = idBytes(token, tokenLength, tokenLength);
      if (!bytes || !isGenuine(recipientMacs, bytes, recipientSlices[purpose], token)) return null;
      return { account: bytes.readUInt32BE(0), campaign: bytes.readUInt32BE(4), seq: bytes.readUInt32BE(8) };
    },
    readSubscription(purpose, token) {
      const bytes = idBytes(token, tokenLength, Math.ceil(((12 + 4 * maxLists) * 4) / 3) + macLength);
      if (!bytes || bytes.length % 4 !== 0) return null;
      if (!isGenuine(subscriptionMacs, bytes, subscriptionSlices[purpose], token)) return null;
      const lists: number[] = [];
      for (let at = 12; at < bytes.length; at += 4) lists.push(bytes.readUInt32BE(at));
      return { account: bytes.readUInt32BE(0), campaign: bytes.readUInt32BE(4), contact: bytes.readUInt32BE(8), lists };
    },
  };
}

/**
 * Splits what follows the click path into token and link number, and the number of the item where the link is in a loop; null if
 * it does not have this form.
 */
export function splitClick(text: string): { token: string; link: number; item?: number } | null {
  const [, link, item] = /^(0|[1-9a-z][0-9a-z]{0,4})(?:-(0|[1-9a-z][0-9a-z]?))?$/.exec(text.slice(tokenLength)) ?? [];
  if (link === undefined) return null;
  return {
    token: text.slice(0, tokenLength),
    link: Number.parseInt(link, 36),
    ...(item === undefined ? {} : { item: Number.parseInt(item, 36) }),
  };
}

function writeIds(target: Buffer, ids: readonly number[]): void {
  for (let i = 0; i < ids.length; i++) target.writeUInt32BE(ids[i]!, 4 * i);
}

/** The ids of a token; null unless it is spelled in the one way that `tokens` spells it. */
function idBytes(token: string, minLength: number, maxLength: number): Buffer | null {
  if (token.length < minLength || token.length > maxLength || /[^A-Za-z0-9_-]/.test(token)) return null;
  const text = token.slice(0, -macLength);
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}

function fromHex(text: string): string {
  return /^[0-9a-f]{48}$/i.test(text) ? Buffer.from(text, 'hex').toString('base64url') : '';
}

function isGenuine(macs: readonly Mac[], bytes: Buffer, number: number, token: string): boolean {
  const given = Buffer.from(token.slice(-macLength), 'latin1');
  let found = false;
  // Every secret is tried, whichever fits, in constant time.
  for (const mac of macs) {
    if (timingSafeEqual(Buffer.from(slice(mac(bytes), number), 'latin1'), given)) found = true;
  }
  return found;
}

/** A purpose's 96 bits of a MAC: slices of one pseudo-random output, none of which reveals another. */
function slice(mac: string, number: number): string {
  return mac.slice(number * macLength, (number + 1) * macLength);
}

type Mac = (message: Buffer) => string;

const recipientMacOf = (secret: string): Mac => macOf(`postrider token 1 recipient ${secret}`);

const blockSize = 128;

/**
 * HMAC-SHA512 (RFC 2104) as base64url, by two one-shot hashes: 0.8 µs, against 2.7 µs for an Hmac object. The key is
 * the hash of the text, so it is shorter than a block.
 */
function macOf(keyText: string): Mac {
  const key = Buffer.alloc(blockSize);
  key.write(hash('sha512', keyText, 'binary'), 'latin1');
  const innerKey = key.map((byte) => byte ^ 0x36);
  const outer = Buffer.concat([key.map((byte) => byte ^ 0x5c), Buffer.alloc(64)]);
  const innerOf = new Map<number, Buffer>();
  return (message) => {
    let inner = innerOf.get(message.length);
    if (!inner) {
      inner = Buffer.concat([innerKey, message]);
      innerOf.set(message.length, inner);
    }
    inner.set(message, blockSize);
    outer.write(hash('sha512', inner, 'binary'), blockSize, 'latin1');
    return hash('sha512', outer, 'base64url');
  };
}
