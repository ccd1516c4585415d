// The areas of the product that actions in the audit log belong to, by the name of their method: what the log is filtered by first.

import type { Area } from './audit-search.ts';

/** The first that fits a method counts. */
const beginnings: readonly (readonly [Area, RegExp])[] = [
  ['automations', /^(automation|incomingWebhook|eventSend)/],
  ['campaigns', /^(campaign|recurring|reportLink|label)/],
  ['templates', /^(template|asset|savedBlock|brand)/],
  ['contacts', /^(list|contact|segment|import|migration|cleanUp|suppressed|accountField)/],
  ['webhooks', /^webhook/],
  [
    'access',
    /^(signIn|login|session|password|totp|passkey|user|invitation|identity|provider|apikey|testKey|key|person|account(Key|SignIn)|r(evoke|otate)Secret)/,
  ],
  ['sending', /^(sender|relay|bounce|noticeSource|oauth|message|(confirm|hold)Sending)/],
];

export function areaOf(method: string): Area {
  return beginnings.find(([, beginning]) => beginning.test(method))?.[0] ?? 'account';
}
