// THE list of methods. What stands here exists in every door, in the introspection, in the OpenAPI description, in the
// reference pages and at the command line; what does not stand here does not exist.
import { auditMethods } from '../accounts/audit-methods.ts';
import { domainMethods } from '../accounts/domain-methods.ts';
import { loginMethod } from '../accounts/login-method.ts';
import { accountMethods } from '../accounts/methods.ts';
import { secondFactorMethods } from '../accounts/second-factor-methods.ts';
import { sessionMethods } from '../accounts/session-methods.ts';
import { updateMethods } from '../accounts/update-methods.ts';
import { userMethods } from '../accounts/user-methods.ts';
import { contactMethods } from '../audience/contact-methods.ts';
import { exportMethods } from '../audience/export/methods.ts';
import { fieldMethods } from '../audience/field-methods.ts';
import { importMethods } from '../audience/import/methods.ts';
import { listInfoMethod } from '../audience/list-info.ts';
import { listMethods } from '../audience/list-methods.ts';
import { memberMethods } from '../audience/member-methods.ts';
import { searchMethods } from '../audience/member-search.ts';
import { segmentMethods } from '../audience/segment-methods.ts';
import { signupMethods } from '../audience/signup/methods.ts';
import { suppressionMethods } from '../audience/suppression-methods.ts';
import { archiveIndexMethod } from '../campaigns/archive-index.ts';
import { assetMethods } from '../campaigns/asset-methods.ts';
import { audienceMethod, checkMethod } from '../campaigns/check-method.ts';
import { draftMethods } from '../campaigns/draft-methods.ts';
import { campaignMethods } from '../campaigns/methods.ts';
import { searchMethod } from '../campaigns/search-method.ts';
import { templateMethods } from '../campaigns/template-methods.ts';
import { updateMethod } from '../campaigns/update-method.ts';
import { versionMethods } from '../campaigns/version-methods.ts';
import { homeMethod } from '../delivery/home.ts';
import { inboxMethods } from '../delivery/inbox-methods.ts';
import { deliveryMethods } from '../delivery/methods.ts';
import { relayMethods } from '../delivery/pace/relay-methods.ts';
import { slowDomainsMethod } from '../delivery/pace/slow-domains.ts';
import { stopMethod } from '../delivery/stop.ts';
import { reportMethods } from '../tracking/report-methods.ts';
import { timelineMethod } from '../tracking/timeline-method.ts';
import { attemptMethods } from '../webhooks/attempt-methods.ts';
import { webhookMethods } from '../webhooks/methods.ts';
import type { AnyMethod } from './method.ts';

const all = [
  ...campaignMethods,
  searchMethod,
  updateMethod,
  checkMethod,
  audienceMethod,
  ...draftMethods,
  ...versionMethods,
  archiveIndexMethod,
  ...templateMethods,
  ...assetMethods,
  ...listMethods,
  listInfoMethod,
  ...fieldMethods,
  ...signupMethods,
  ...memberMethods,
  ...searchMethods,
  ...contactMethods,
  ...segmentMethods,
  ...importMethods,
  ...exportMethods,
  ...suppressionMethods,
  ...deliveryMethods,
  slowDomainsMethod,
  stopMethod,
  ...reportMethods,
  timelineMethod,
  homeMethod,
  ...accountMethods,
  loginMethod,
  ...sessionMethods,
  ...secondFactorMethods,
  ...userMethods,
  ...updateMethods,
  ...auditMethods,
  ...domainMethods,
  ...inboxMethods,
  ...relayMethods,
  ...webhookMethods,
  ...attemptMethods,
];

/** Every method with its own name, parameters and result: what the web application's client is inferred from. */
export type ListedMethod = (typeof all)[number];

export const methods: readonly AnyMethod[] = all;
