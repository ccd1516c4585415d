// Every fault a caller can meet: its name, number, HTTP status (JSON door) and what it means.
// Numbers are for ever: never reused, never changed. The family numbers errors 1xx account, 2xx list, 3xx campaign,
// 5xx validation, negative protocol. Who throws a fault writes the text; the text names the member and the reason.

/** THE list of faults: name → [code, HTTP status, when]. */
export const faults = {
  NOT_WELL_FORMED: [-32700, 400, 'The request body is not well-formed.'],
  NOT_A_CALL: [-32600, 400, 'The request body is well-formed but not a method call.'],
  INTERNAL: [-32603, 500, 'Something failed inside; the text carries a request id.'],
  UNKNOWN_METHOD: [-32601, 404, 'There is no method of this name.'],
  INVALID_PARAMETER: [-32602, 400, 'A parameter is missing, unknown or of the wrong type.'],
  TOO_MANY_CALLS: [-50, 429, 'The key has made too many calls; try again later.'],
  UNAVAILABLE: [-60, 503, 'The service cannot answer at the moment; nothing was changed.'],
  ACCOUNT_OFF: [101, 403, 'The account is switched off.'],
  USER_UNKNOWN: [102, 404, 'There is no such person in this account.'],
  KEY_INVALID: [104, 401, 'The API key is missing, wrong or revoked.'],
  USER_EXISTS: [108, 409, 'The person belongs to the account already.'],
  NOT_ALLOWED: [120, 403, 'This key, role or plan does not allow it.'],
  MAY_NOT_SEND: [122, 403, 'The account may not send.'],
  ADDON_MISSING: [125, 403, 'The account lacks the add-on.'],
  SIGN_IN_WRONG: [130, 401, 'The address, the password or the code is wrong.'],
  LINK_BAD: [131, 410, 'The link is wrong, has been used or has expired.'],
  PASSWORD_BAD: [132, 400, 'The new password is not good enough, or the old one is wrong.'],
  ACCOUNT_OPTION: [133, 400, 'An account option has a bad name or value.'],
  LAST_OWNER: [134, 409, 'The account would have no owner.'],
  SESSION_UNKNOWN: [135, 404, 'There is no such session.'],
  CODE_BAD: [136, 400, 'The code of the second factor is wrong, or none is set up.'],
  DOMAIN_UNKNOWN: [140, 404, 'There is no such sender domain.'],
  DOMAIN_BAD: [141, 400, 'The domain cannot be a sender domain of the account.'],
  LIST_UNKNOWN: [200, 404, 'There is no such list.'],
  LIST_OPTION: [211, 400, 'A list option has a bad name or value.'],
  ALREADY_SUBSCRIBED: [214, 409, 'The address is subscribed already.'],
  NOT_SUBSCRIBED: [215, 409, 'The address is not subscribed to this list.'],
  ADDRESS_ALREADY_SUBSCRIBED: [230, 409, 'The new address is subscribed already.'],
  ADDRESS_UNSUBSCRIBED: [231, 409, 'The address is unsubscribed already.'],
  ADDRESS_UNKNOWN: [232, 404, 'The address is not known.'],
  FIELD_REQUIRED: [250, 400, 'A required merge field has no value.'],
  FIELD_IS_EMAIL: [251, 409, 'The e-mail field cannot be removed or changed.'],
  FIELD_BAD: [254, 400, 'A merge field or its value is not usable.'],
  IMPORT_UNKNOWN: [260, 404, 'There is no such import.'],
  IMPORT_BAD: [261, 400, 'The file, the mapping or an option of an import is not usable.'],
  IMPORT_STATE: [262, 409, 'The import is in a state that does not allow it.'],
  UPLOAD_UNKNOWN: [263, 404, 'There is no such uploaded file.'],
  CAMPAIGN_UNKNOWN: [300, 404, 'There is no such campaign.'],
  CONTENT_BAD: [311, 400, 'There is no usable content, or the plain text is missing.'],
  OPTION_BAD: [312, 400, 'An option has a bad name or value.'],
  STATE_BAD: [313, 409, 'The campaign is in a state that does not allow it.'],
  SEGMENT_BAD: [315, 400, 'The segment is unknown or belongs to another list.'],
  AUTORESPONDER_BAD: [317, 400, 'The autoresponder settings are not usable.'],
  ARCHIVE_BAD: [318, 400, 'The archive cannot be read.'],
  ASSET_BAD: [320, 400, 'The picture is none that mail programs show, or cannot be read.'],
  ASSET_UNKNOWN: [321, 404, 'There is no such picture.'],
  WEBHOOK_UNKNOWN: [330, 404, 'There is no such webhook.'],
  WEBHOOK_BAD: [331, 400, 'A webhook option has a bad name or value.'],
  ANALYTICS_BAD: [500, 400, 'The analytics settings are not usable.'],
  DATE_BAD: [501, 400, 'A date is not usable.'],
  ADDRESS_BAD: [502, 400, 'An e-mail address is not usable.'],
  SEND_TYPE_BAD: [503, 400, 'The send_type is not known.'],
  TEMPLATE_UNKNOWN: [504, 404, 'There is no such template.'],
  TRACKING_BAD: [505, 400, 'The tracking settings are not usable.'],
  OPTIONS_BAD: [506, 400, 'A struct of options or filters has an unknown member or is not a struct.'],
  URL_BAD: [508, 400, 'The address cannot be fetched.'],
  LIMIT_BAD: [553, 400, 'The limit is out of range.'],
  START_BAD: [554, 400, 'The start is out of range.'],
  TOO_LARGE: [555, 413, 'Something is too large.'],
} as const satisfies Record<string, readonly [code: number, status: number, when: string]>;

export type FaultName = keyof typeof faults;

/** An error that is told to the caller, with its number and text. Everything else that is thrown is a bug. */
export class Fault extends Error {
  readonly fault: FaultName;
  /** Seconds after which a further try makes sense (TOO_MANY_CALLS, UNAVAILABLE). */
  readonly retryAfter: number | undefined;

  constructor(fault: FaultName, message: string, retryAfter?: number) {
    super(message);
    this.name = 'Fault';
    this.fault = fault;
    this.retryAfter = retryAfter;
  }

  get code(): number {
    return faults[this.fault][0];
  }

  get status(): number {
    return faults[this.fault][1];
  }
}
