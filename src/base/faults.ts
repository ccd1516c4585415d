// Every fault a caller can get: its name, number, HTTP status (JSON door) and what it means.
// Numbers are permanent: never reused, never changed. The family numbers errors 1xx account, 2xx list, 3xx campaign,
// 5xx validation, negative protocol. The text of a fault is a message by key (src/locales/messages):
//   throw new Fault('LIST_UNKNOWN', message('list.unknown', { member: 'id', id }))
// Every message about a parameter has its path in {member}, at the beginning of the text. Programs get the English text,
// our own pages the user's language, and the JSON door adds `text: { key, values }`.
import {
  type Message,
  type MessageKey,
  type MessageLanguage,
  type MessageValues,
  message,
  renderMessage,
} from './messages.ts';

/** THE list of faults: name → [code, HTTP status, when]. */
export const faults = {
  NOT_WELL_FORMED: [-32700, 400, 'The request body is not well-formed.'],
  NOT_A_CALL: [-32600, 400, 'The request body is well-formed but is not a method call.'],
  INTERNAL: [-32603, 500, 'Internal error. The message carries a request id.'],
  UNKNOWN_METHOD: [-32601, 404, 'The method does not exist.'],
  INVALID_PARAMETER: [-32602, 400, 'A parameter is missing, unknown or of the wrong type.'],
  TOO_MANY_CALLS: [-50, 429, 'The API key has reached its rate limit. Try again later.'],
  UNAVAILABLE: [-60, 503, 'The service is temporarily unavailable. Nothing was changed.'],
  ACCOUNT_DISABLED: [101, 403, 'The account is disabled.'],
  USER_UNKNOWN: [102, 404, 'The user does not exist in this account.'],
  KEY_INVALID: [104, 401, 'The API key is missing, wrong, expired or revoked, or may not be used from this address.'],
  ACCOUNT_MOVED: [
    105,
    421,
    'The account has moved to another installation. The message has its address; the API key works there.',
  ],
  USER_EXISTS: [108, 409, 'The user is already a member of the account.'],
  NOT_ALLOWED: [120, 403, 'The API key, role or plan does not allow this.'],
  SENDING_NOT_ALLOWED: [122, 403, 'The account is not allowed to send.'],
  ADDON_MISSING: [125, 403, 'The account does not have the add-on.'],
  QUOTA_USED: [126, 403, 'The monthly quota of the account does not allow as many emails.'],
  SIGN_IN_FAILED: [130, 401, 'The email address, the password or the code is wrong.'],
  LINK_EXPIRED: [131, 410, 'The link is wrong, has expired or was used before.'],
  PASSWORD_INVALID: [132, 400, 'The new password is too weak, or the current password is wrong.'],
  ACCOUNT_OPTION_INVALID: [133, 400, 'An account option has an unknown name or an invalid value.'],
  LAST_OWNER: [134, 409, 'The account must keep at least one owner.'],
  SESSION_UNKNOWN: [135, 404, 'The session does not exist.'],
  CODE_INVALID: [136, 400, 'The second-factor code is wrong, or no second factor is set up.'],
  CONFIRMATION_NEEDED: [137, 403, 'The signed-in user must enter the password again first: sessionConfirm.'],
  INVITATION_UNKNOWN: [138, 404, 'The invitation does not exist, has expired or has already been answered.'],
  SIGN_IN_REFUSED: [139, 403, 'The identity provider or the rules of this installation do not allow this sign-in.'],
  DOMAIN_UNKNOWN: [140, 404, 'The sender domain does not exist.'],
  DOMAIN_INVALID: [141, 400, 'The domain cannot be used as a sender domain.'],
  IDENTITY_UNKNOWN: [142, 404, 'The signed-in user has no identity of this provider.'],
  IDENTITY_NEEDED: [143, 409, 'Without this identity or passkey the user could no longer sign in.'],
  SENDER_UNKNOWN: [144, 404, 'The sender does not exist.'],
  SENDER_INVALID: [145, 400, 'The name or address cannot be used as a sender.'],
  SENDER_IN_USE: [146, 409, 'The sender is in use. The message names the lists and campaigns.'],
  NOTICE_SOURCE_UNKNOWN: [160, 404, 'The source of returned mail does not exist.'],
  NOTICE_SOURCE_INVALID: [161, 400, 'A setting of a source of returned mail is invalid.'],
  BOUNCE_MAILBOX_UNKNOWN: [162, 404, 'The bounce mailbox does not exist.'],
  BOUNCE_MAILBOX_INVALID: [163, 400, 'A setting of a bounce mailbox is invalid, or the mailbox cannot be opened.'],
  PASSKEY_UNKNOWN: [170, 404, 'The passkey does not exist.'],
  PASSKEY_INVALID: [171, 400, 'The passkey cannot be stored: its answer is not valid, or the user has too many.'],
  LIST_UNKNOWN: [200, 404, 'The list does not exist.'],
  LIST_OPTION_INVALID: [211, 400, 'A list option has an unknown name or an invalid value.'],
  ALREADY_SUBSCRIBED: [214, 409, 'The email address is already subscribed.'],
  NOT_SUBSCRIBED: [215, 409, 'The email address is not subscribed to this list.'],
  ADDRESS_ALREADY_SUBSCRIBED: [230, 409, 'The new email address is already subscribed.'],
  ADDRESS_UNSUBSCRIBED: [231, 409, 'The email address is already unsubscribed.'],
  ADDRESS_UNKNOWN: [232, 404, 'The email address is unknown.'],
  FIELD_REQUIRED: [250, 400, 'A required merge field has no value.'],
  EMAIL_FIELD_FIXED: [251, 409, 'The email field cannot be changed or removed.'],
  FIELD_INVALID: [254, 400, 'A merge field or its value is invalid.'],
  IMPORT_UNKNOWN: [260, 404, 'The import does not exist.'],
  IMPORT_INVALID: [261, 400, 'The file, the mapping or an option of the import is invalid.'],
  IMPORT_STATE_CONFLICT: [262, 409, 'The state of the import does not allow this.'],
  UPLOAD_UNKNOWN: [263, 404, 'The uploaded file does not exist.'],
  CLEAN_UP_RULE_UNKNOWN: [270, 404, 'The clean-up rule does not exist.'],
  CLEAN_UP_RULE_INVALID: [271, 400, 'A setting of the clean-up rule is missing or does not fit the others.'],
  CLEAN_UP_PREVIEW_OLD: [272, 409, 'The clean-up rule applies to more contacts than the preview showed.'],
  ACCOUNT_FIELD_PREVIEW_OLD: [
    273,
    409,
    'More contacts have different values than the preview of the account field showed.',
  ],
  CAMPAIGN_UNKNOWN: [300, 404, 'The campaign does not exist.'],
  CONTENT_INVALID: [311, 400, 'The content is missing or invalid, or the plain text is missing.'],
  CAMPAIGN_OPTION_INVALID: [312, 400, 'A campaign option has an unknown name or an invalid value.'],
  CAMPAIGN_STATE_CONFLICT: [313, 409, 'The state of the campaign does not allow this.'],
  SEGMENT_INVALID: [315, 400, 'The segment does not exist, belongs to another list or has invalid conditions.'],
  AUTORESPONDER_INVALID: [317, 400, 'The autoresponder settings are invalid.'],
  ARCHIVE_INVALID: [318, 400, 'The archive cannot be read.'],
  ASSET_INVALID: [320, 400, 'The image cannot be read, or email clients do not show its format.'],
  ASSET_UNKNOWN: [321, 404, 'The image does not exist.'],
  CAMPAIGN_CHANGED: [322, 409, 'Another person has changed this part of the campaign since.'],
  APPROVAL_NEEDED: [323, 409, 'The campaign is not sent before another person has approved it as it is.'],
  WEBHOOK_UNKNOWN: [330, 404, 'The webhook does not exist.'],
  WEBHOOK_OPTION_INVALID: [331, 400, 'A webhook option has an unknown name or an invalid value.'],
  AUTOMATION_UNKNOWN: [335, 404, 'The automation does not exist.'],
  AUTOMATION_INVALID: [336, 400, 'The trigger, a step or another setting of the automation is missing or invalid.'],
  AUTOMATION_STATE_CONFLICT: [337, 409, 'The state of the automation does not allow this.'],
  MESSAGE_UNKNOWN: [340, 404, 'The message does not exist or has been deleted.'],
  MESSAGE_STATE_CONFLICT: [341, 409, 'The state of the message does not allow this.'],
  RECURRING_UNKNOWN: [350, 404, 'The recurring campaign or its issue does not exist.'],
  RECURRING_INVALID: [351, 400, 'The schedule, the source or another setting of the recurring campaign is invalid.'],
  RECURRING_STATE_CONFLICT: [352, 409, 'The state of the recurring campaign or of the issue does not allow this.'],
  REPORT_LINK_UNKNOWN: [360, 404, 'The link to a report does not exist or has expired.'],
  LABEL_UNKNOWN: [370, 404, 'The label does not exist.'],
  LABEL_INVALID: [371, 400, 'The name of the label is taken, or there are too many labels.'],
  ANALYTICS_INVALID: [500, 400, 'The analytics settings are invalid.'],
  DATE_INVALID: [501, 400, 'A date is invalid.'],
  ADDRESS_INVALID: [502, 400, 'An email address is invalid.'],
  SEND_TYPE_INVALID: [503, 400, 'The send_type is unknown.'],
  TEMPLATE_UNKNOWN: [504, 404, 'The template does not exist.'],
  TRACKING_INVALID: [505, 400, 'The tracking settings are invalid.'],
  OPTIONS_STRUCT_INVALID: [506, 400, 'A struct of options or filters is not a struct or has an unknown member.'],
  URL_INVALID: [508, 400, 'The URL is invalid or cannot be fetched.'],
  LIMIT_OUT_OF_RANGE: [553, 400, 'The limit is out of range.'],
  START_OUT_OF_RANGE: [554, 400, 'The start is out of range.'],
  TOO_LARGE: [555, 413, 'The request, a file or a value is too large.'],
  TOO_SLOW: [556, 408, 'The body of the request arrived too slowly.'],
  ENCODING_UNSUPPORTED: [557, 415, 'The Content-Encoding of the request is none that this server reads.'],
} as const satisfies Record<string, readonly [code: number, status: number, when: string]>;

export type FaultName = keyof typeof faults;

/** An error for the caller, with its number and text. Everything else that is thrown is a bug. */
export class Fault extends Error {
  readonly fault: FaultName;
  /** The text by key, for our own pages. */
  readonly text: Message;
  /** Seconds after which a retry makes sense (TOO_MANY_CALLS, UNAVAILABLE). */
  readonly retryAfter: number | undefined;

  constructor(fault: FaultName, text: Message, retryAfter?: number) {
    super(renderMessage(text));
    this.name = 'Fault';
    this.fault = fault;
    this.text = text;
    this.retryAfter = retryAfter;
  }

  get code(): number {
    return faults[this.fault][0];
  }

  get status(): number {
    return faults[this.fault][1];
  }
}

/** A fault whose text is a message of the catalogue. */
export function fault<K extends MessageKey>(name: FaultName, key: K, ...values: MessageValues<K>): Fault {
  return new Fault(name, message(key, ...values));
}

/** The body of a fault at our JSON addresses: the text in the language asked for, the number, and the text by key. */
export const faultBody = ({ code, text }: Fault, language: MessageLanguage) => ({
  error: renderMessage(text, language),
  code,
  text,
});
