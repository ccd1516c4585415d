// Contents and recipients for the tests of rendering, with every member overridable.
import { compile } from '../../../src/campaigns/compile/compile.ts';
import type { CampaignContent } from '../../../src/campaigns/markup/compiled.ts';
import { type Envelope, type Mail, prepare, type Refusal } from '../../../src/delivery/message/render.ts';
import { tokenMaker } from '../../../src/tracking/tokens.ts';

export const maker = tokenMaker(['a secret for tests only'], 'a secret for tests only');

/** A small campaign with a bit of everything. */
export function content(overrides: Partial<CampaignContent> = {}): CampaignContent {
  return {
    html: '<html><body><p>Hello *|FNAME|*!</p><a href="https://shop.example/a?b=1&amp;c=2">Shop</a></body></html>',
    plain: 'Hello *|FNAME|*!\nhttps://shop.example/a?b=1&c=2',
    subject: 'News for *|FNAME|*',
    fromName: 'The Shop',
    fromEmail: 'news@shop.example',
    replyTo: 'desk@shop.example',
    toName: '*|FNAME|* *|LNAME|*',
    fields: [
      { tag: 'EMAIL', type: 'email', default: '' },
      { tag: 'FNAME', type: 'text', default: 'friend' },
      { tag: 'LNAME', type: 'text', default: '' },
      { tag: 'SITE', type: 'website', default: '' },
    ],
    lists: [
      {
        id: 7,
        publicId: 'a0000007',
        name: 'Customers',
        company: 'Shop Ltd',
        address: 'High Street 1\nTown',
        url: 'https://shop.example/',
      },
    ],
    language: 'en',
    timeZone: 'UTC',
    tracking: { opens: true, htmlClicks: true, textClicks: true },
    linkTexts: { unsubscribe: 'Unsubscribe', profile: 'Update your profile', view: 'View in browser' },
    baseUrl: 'https://mail.shop.example',
    archiveUrl: 'https://mail.shop.example/a/0123456789abcdef',
    campaign: 'c0000001',
    account: 'b0000001',
    unsubscribeMailbox: 'unsubscribe@mail.shop.example',
    ...overrides,
  };
}

/** A recipient of list 7. */
export function recipient(overrides: Partial<Envelope> = {}): Envelope {
  return {
    email: 'joe@reader.example',
    emailType: 'html',
    values: { FNAME: 'Joe', LNAME: 'Reader' },
    list: 7,
    tokens: maker.tokens({ account: 11, campaign: 12, seq: 13, contact: 14, lists: [7] }),
    messageId: '1.2.3@mail.shop.example',
    at: new Date('2026-03-04T05:06:07Z'),
    ...overrides,
  };
}

/** The whole message; a refusal fails the test. */
export function mailOf(result: Mail | Refusal): Buffer {
  if ('refused' in result) throw new Error(`refused: ${result.refused}`);
  return Buffer.concat([result.head, result.body]);
}

/** The message of one recipient of this content. */
export function mailFor(overrides: Partial<CampaignContent>, to: Partial<Envelope> = {}): Buffer {
  return mailOf(prepare(compile(content(overrides))).render(recipient(to)));
}
