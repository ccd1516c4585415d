// THE list of methods. A method in this list exists in every door, in the introspection, in the OpenAPI description, in
// the reference pages and at the command line.
import { auditMethods } from '../accounts/audit/methods.ts';
import { labelMethods } from '../accounts/labels/methods.ts';
import { accountMethods } from '../accounts/methods.ts';
import { identityMethods } from '../accounts/oidc/methods.ts';
import { passkeyMethods } from '../accounts/passkeys/methods.ts';
import { userMethods } from '../accounts/people/methods.ts';
import { loginMethod } from '../accounts/sign-in/login-method.ts';
import { secondFactorMethods } from '../accounts/sign-in/second-factor-methods.ts';
import { sessionMethods } from '../accounts/sign-in/session-methods.ts';
import { updateMethods } from '../accounts/update.ts';
import { cleanUpMethods } from '../audience/clean-up/methods.ts';
import { browseMethods } from '../audience/contacts/browse-methods.ts';
import { contactMethods } from '../audience/contacts/methods.ts';
import { eraseMethod } from '../audience/erase/methods.ts';
import { eventMethods } from '../audience/events/methods.ts';
import { exportMethods } from '../audience/export/methods.ts';
import { accountFieldMethods } from '../audience/fields/account-methods.ts';
import { fieldMethods } from '../audience/fields/methods.ts';
import { importMethods } from '../audience/import/methods.ts';
import { listMethods } from '../audience/lists/methods.ts';
import { memberMethods } from '../audience/members/methods.ts';
import { searchMethods } from '../audience/members/search-methods.ts';
import { suppressionMethods } from '../audience/members/suppression-methods.ts';
import { segmentMethods } from '../audience/segments/methods.ts';
import { signupMethods } from '../audience/signup/methods.ts';
import { tagMethods } from '../audience/tags/tag-methods.ts';
import { automationMethods } from '../automations/methods.ts';
import { receivedMethods } from '../automations/received-methods.ts';
import { assetMethods } from '../campaigns/content/pictures/methods.ts';
import { attachmentMethods } from '../campaigns/draft/attachment-methods.ts';
import { draftMethods } from '../campaigns/draft/methods.ts';
import { variantMethods } from '../campaigns/draft/variants/methods.ts';
import { followUpMethod } from '../campaigns/follow-up/methods.ts';
import { campaignMethods } from '../campaigns/methods.ts';
import { archiveMethods } from '../campaigns/public-archive/methods.ts';
import { checkMethods } from '../campaigns/release/check-methods.ts';
import { approvalMethods } from '../campaigns/review/methods.ts';
import { brandMethods } from '../campaigns/templates/brand-methods.ts';
import { templateMethods } from '../campaigns/templates/methods.ts';
import { blockMethods } from '../campaigns/templates/saved-blocks.ts';
import { controlMethods } from '../delivery/control/methods.ts';
import { dailyMethods } from '../delivery/daily/methods.ts';
import { slowDomainsMethod } from '../delivery/pace/slow-domains.ts';
import { progressMethods } from '../delivery/progress/methods.ts';
import { testChooseMethod } from '../delivery/winner/methods.ts';
import { erasureParts } from '../erasure.ts';
import { setupMethods } from '../home/setup-methods.ts';
import { homeMethod } from '../home/summary.ts';
import { inboxMethods } from '../inbox/methods.ts';
import { messageMethods } from '../messages/methods.ts';
import type { AnyMethod } from '../method/method.ts';
import { migrationMethods } from '../migration/methods.ts';
import { copyMethods } from '../operator/copy-methods.ts';
import { operatorMethods } from '../operator/methods.ts';
import { formPreviewMethod } from '../pages/form-preview.ts';
import { recurringMethods } from '../recurring/methods.ts';
import { relayChangeMethods } from '../relays/settings/change-methods.ts';
import { oauthMethods } from '../relays/settings/oauth-methods.ts';
import { relayMethods } from '../relays/settings/relay-methods.ts';
import { bounceMailboxMethods } from '../returned/mailboxes/methods.ts';
import { noticeSourceMethods } from '../returned/notices/methods.ts';
import { domainMethods } from '../senders/domains/methods.ts';
import { senderMethods } from '../senders/senders/methods.ts';
import { languagesMethod } from '../tracking/reports/language-result.ts';
import { reportMethods } from '../tracking/reports/methods.ts';
import { reportLinkMethods } from '../tracking/reports/report-link-methods.ts';
import { revisionsMethod } from '../tracking/reports/revisions.ts';
import { testInfoMethod } from '../tracking/reports/test-result.ts';
import { attemptMethods } from '../webhooks/log/methods.ts';
import { webhookMethods } from '../webhooks/methods.ts';

const all = [
  ...campaignMethods,
  ...checkMethods,
  ...draftMethods,
  ...variantMethods,
  testChooseMethod,
  followUpMethod,
  ...approvalMethods,
  ...archiveMethods,
  ...recurringMethods,
  ...automationMethods,
  ...receivedMethods,
  ...templateMethods,
  ...brandMethods,
  ...blockMethods,
  ...labelMethods,
  ...assetMethods,
  ...attachmentMethods,
  ...listMethods,
  ...fieldMethods,
  ...accountFieldMethods,
  ...signupMethods,
  formPreviewMethod,
  ...memberMethods,
  ...searchMethods,
  ...browseMethods,
  ...tagMethods,
  ...cleanUpMethods,
  ...contactMethods,
  ...eventMethods,
  eraseMethod(erasureParts),
  ...segmentMethods,
  ...importMethods,
  ...migrationMethods,
  ...exportMethods,
  ...suppressionMethods,
  ...progressMethods,
  ...controlMethods,
  slowDomainsMethod,
  ...reportMethods,
  ...reportLinkMethods,
  testInfoMethod,
  languagesMethod,
  revisionsMethod,
  ...dailyMethods,
  homeMethod,
  ...setupMethods,
  ...accountMethods,
  ...operatorMethods,
  ...copyMethods,
  loginMethod,
  ...sessionMethods,
  ...identityMethods,
  ...passkeyMethods,
  ...secondFactorMethods,
  ...userMethods,
  ...updateMethods,
  ...auditMethods,
  ...domainMethods,
  ...senderMethods,
  ...inboxMethods,
  ...messageMethods,
  ...relayMethods,
  ...noticeSourceMethods,
  ...relayChangeMethods,
  ...bounceMailboxMethods,
  ...oauthMethods,
  ...webhookMethods,
  ...attemptMethods,
];

/** Methods of the API family about text messages, in lower case. Calls of them get a fault that says so. */
export const smsMethods: ReadonlySet<string> = new Set(
  [
    'listBatchSubscribeSMS',
    'listBatchUnsubscribeSMS',
    'listSubscribeSMS',
    'listUnsubscribeSMS',
    'smsCampaignBounces',
    'smsCampaignClickStats',
    'smsCampaignCreate',
    'smsCampaignDelete',
    'smsCampaignReplicate',
    'smsCampaigns',
    'smsCampaignSchedule',
    'smsCampaignSendNow',
    'smsCampaignStats',
    'smsCampaignTemplates',
    'smsCampaignUnschedule',
    'smsCampaignUpdate',
    'smsSenderIdRegister',
  ].map((name) => name.toLowerCase()),
);

/** Every method with its name, parameters and result: the web application's client is inferred from this type. */
export type ListedMethod = (typeof all)[number];

export const methods: readonly AnyMethod[] = all;
