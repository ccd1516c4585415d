// What the replies of mail servers mean: the first matching rule decides, text before enhanced code before code.
// Each rule comes from replies that providers document or that servers are shipped with; verdict.test.ts lists them.
// A pattern matches whole phrases, because a false "no such user" removes a recipient permanently.

import type { Judgement, TextRule } from './judgement.ts';
import { foreignRules } from './languages.ts';
import { ourRelay, ourRules, relayBusy, tooFast } from './ours.ts';
import type { Stage } from './outcome.ts';

export type { BounceClass, Judgement, Limit, Scope, TextRule } from './judgement.ts';

const toRecipient: Stage[] = ['rcpt', 'data', 'dot'];

const gone: Judgement = { bounce: 'hard', scope: 'recipient', suppress: true };
const full: Judgement = { bounce: 'soft', scope: 'recipient' };
const slowDown: Judgement = { kind: 'later', bounce: 'temporary', scope: 'domain' };
const badReputation: Judgement = { bounce: 'blocked', scope: 'domain' };
/** The words fit us and the recipient alike: nothing is suppressed. */
const inDoubt: Judgement = { bounce: 'generic', scope: 'recipient' };
const contentRefused: Judgement = { bounce: 'blocked', scope: 'account' };

/** An account that does not exist. */
const unknownAccount = String.raw`\b(unknown|invalid|illegal|non-?existent|no such|no valid|not an? (known|valid|existing)) (local )?account\b|\b(?<!e-?mail )account\b( \S{1,60}){0,4} (does not exist|doesn['’]?t exist|not exist|not found|(is )?unknown|(is )?not known|(can|could)( ?not|n't) be found|(is )?invalid|(is )?not valid|no longer (exists?|valid|available|active)|(has been|was) (deleted|removed|closed|terminated))`;

/** Words that say whose an account, a user or a domain is: the recipient's. */
const theirs = String.raw`@|\b(recipients?|mail ?box|addressee|inbox|reach|e-?mail (account|user|address)|local[- ]part|destination|alias)\b|\b(to this|your message to|contact the)\b|\ban? \S+ account\b`;
const nobodys = (source: string, means: Judgement, more: Partial<TextRule> = {}): TextRule => ({
  text: new RegExp(`^(?!.*(${theirs})).*(${source})`, 'i'),
  ...more,
  means,
});

export const byText: TextRule[] = [
  // A group or a mailbox that takes mail only from some: Exchange says what it demands of the sender.
  {
    text: /RESOLVER\.RST\.(?!\w*Size)|NotAuthenticatedFor(Group|Mailbox)|RestrictedToRecipientsPermission|\b(recipient|user|mail ?box|group|address)\b.{0,40}\b(not (authori[sz]ed|allowed|permitted|enabled) to receive|(cannot|can ?not|does not|doesn['’]t|only) (receive|accept)s?) (external|internal|internet|outside|incoming)\b/i,
    means: { bounce: 'blocked', scope: 'recipient' },
  },
  ...ourRules,
  ...foreignRules,
  // Our standing with the relay.
  {
    text: /authentication (is )?required|must (first )?(authenticate|issue a starttls)|client was not authenticated|not authenticated|log ?in first|sending (suspended|paused)|account (is )?(suspended|disabled) (for|from) sending/i,
    means: ourRelay,
  },
  {
    text: /relay(ing)? (access )?(is )?(denied|not permitted|not allowed|prohibited)|(unable|not permitted|not allowed|not authori[sz]ed|refused?) to relay|do(es)? not relay|(not|isn't) in my list of allowed rcpthosts|relay access denied/i,
    means: ourRelay,
  },
  // The sender's authentication, as receivers see it.
  {
    text: /DMARC|\bSPF\b|\bDKIM\b|sender id\b|\bunauthenticated\b|fail(s|ed|ing)? (the )?authentication checks?|authentication-?results|5\.7\.26/i,
    means: contentRefused,
  },
  // Reputation of our IP address. Before the words for content, because they occur together.
  {
    text: /spamhaus|spamcop|sorbs|barracuda ?(reputation|central|networks)|\bDNSBL\b|\bRBL\b|\bBRBL\b|\bCSS\b.*list|(black|block|deny) ?-?list(s|ed|ing)?\b|(?<!not )listed (at|by|in|on)\b|\bS31[45]0\b|\bS77[57]\b|banned sending IP|AS\(1430\)|senderscore|cloudmark|csi\.|ipremoval|poor reputation|bad reputation|(low|very low|no) reputation|reputation of|invaluement|uceprotect|proofpoint.*(blocked|dynamic)|client host.*(blocked|rejected)|\[(TS|TSS)0?[1-9]\]|(TS|TSS)0[1-9]\b|temporarily deferred due to (unexpected volume|user complaints)|\bCNF\b|\bCXSNI\b|\bCXMX/i,
    code: /^5/,
    means: badReputation,
  },
  {
    text: /spamhaus|spamcop|sorbs|\bDNSBL\b|\bRBL\b|(black|block|deny) ?-?listed|(poor|bad|low) reputation|reputation of|\[(TS|TSS)0?[1-9]\]|IP reputation|user complaints|unusual rate of unsolicited/i,
    code: /^4/,
    means: { bounce: 'blocked', scope: 'domain' },
  },
  {
    text: /(reverse dns|\brdns\b|\bPTR\b|reverse hostname|hostname.{0,40}(verif|resolv|lookup)|helo.{0,60}(invalid|reject|denied|mismatch)|my name was rejected|no smtp service)/i,
    means: badReputation,
  },
  // A fault of a name server says nothing about the domain.
  {
    text: /malformed (or unexpected )?name ?server reply|(name server|name service|dns) (timeout|timed out)|try again.{0,20}host lookup/i,
    means: { kind: 'later', bounce: 'temporary', scope: 'domain' },
  },
  // Our rate. Also in a 5yz: it is not about the address.
  {
    text: /^(?!.*gr[ea]y).*\btry (your message )?again (in|after) ([1-5]?\d|60) ?s(ec(ond)?s?)?\b/i,
    means: tooFast,
  },
  {
    text: /gr[ea]y-?list|postgrey|try (your message )?again in \d|first time.*(try|retry)|please retry later.*unknown (triplet|sender)/i,
    means: { kind: 'later', bounce: 'temporary', scope: 'recipient' },
  },
  {
    text: /receiving mail (at a rate|too quickly)|user is receiving mail too/i,
    means: { kind: 'later', bounce: 'temporary', scope: 'recipient' },
  },
  {
    text: /too many (concurrent |simultaneous |open |smtp |parallel )*(connections?|sessions?|messages|e?-?mails|requests|attempts|recipients)|(connection|message|sending|recipient) (rate|frequency)|rate[ -]?limit|throttl|connections? (limit|refused: too)|limit.{0,20}exceeded.{0,20}(connection|rate)|over the (maximum )?(number of )?(allowed )?connections|maximum (number of )?(concurrent |smtp |simultaneous )*(server )?(connections|sessions)|slow down/i,
    means: tooFast,
  },
  {
    text: /too many (invalid recipients|bad|errors)|unexpected volume|resources? (are )?(temporarily )?(unavailable|restricted)|server (is )?(too )?busy|system (is )?(too )?busy|(service|system|mailbox server) (is )?temporarily unavailable|policy frequency|server busy/i,
    means: slowDown,
  },
  // The mailbox. "Over quota" before "unknown", for "mailbox unavailable: quota exceeded".
  {
    text: /(user|recipient)\b.{0,60}\b(over ?-?quota|out of storage)|(mailbox|mail box|inbox|quota|storage|account)\b.{0,60}\b(is |are )?(full|over ?-?(quota|limit|drawn)|exceed(s|ed|ing)?|out of (storage|space))|over ?-?quota|quota (is )?(exceeded|full)|\bquota\b.{0,20}\bviolat|violat\w+ .{0,20}\bquota\b|exceeded.{0,20}(quota|storage|mailbox)|(insufficient|not enough) (disk |storage |mailbox )?space (in|for) (the )?(mailbox|user|recipient)|mailfolder is full|disk quota/i,
    stages: toRecipient,
    means: full,
  },
  {
    text: /(message|mail|body|size|content).{0,40}(too (large|big|long)|exceeds|exceeded).{0,40}(size|limit|maximum|octets|bytes|mb)?|message size (limit|exceeds|violation)|maximum (allowed )?(message|mail) size|(message|mail) too (large|big)/i,
    code: /^55[24]|^550|^452/,
    means: full,
  },
  // The content.
  {
    text: /\b(spam|unsolicited|bulk mail|junk|phish(ing)?|virus|malware|malicious|suspicious|infected)\b|spam-?like|considered (as )?spam|potential security issue|content (rejected|filter|denied|not accepted|restriction|policy)|(url|uri|link|domain)s? (in (the )?(message|body|mail) )?(is |are )?(blocked|listed|blacklisted)|message (content )?(rejected|blocked|refused)|blocked by (content|our|the)|(HVU|RLY|OU):[A-Z0-9]+|\bDT:SPM\b|not accepted for policy|(security|local|administrative|recipient|site|message|mail|email|sender|organi[sz]ation(al)?) polic(y|ies)|policy (reasons?|restrictions?|violation|rejection|reject)|for policy|due to policy|violat(es|ed|ion).{0,30}polic|administrative prohibition|administratively denied|\[HM\d+\]|mail rejected by/i,
    means: contentRefused,
  },
  {
    text: /blocked|banned|prohibited|access (denied|rejected)|not welcome|not accepting (mail|messages|connections) from (your|you|this)|refus(ed|ing) (mail|connection|message)s? from|your (ip|host|server|network).{0,40}(reject|denied|refus)/i,
    enhanced: /^[45]\.7\.|^[45]\.0\.0/,
    means: badReputation,
  },
  // An account that is unknown or off may be ours as well as the recipient's, whatever the code says. After the message, when the
  // recipient was accepted before, or with a code of policy, it is ours.
  nobodys(unknownAccount, ourRelay, { stages: ['data', 'dot'], code: /^5/ }),
  nobodys(unknownAccount, ourRelay, { enhanced: /^5\.7\./ }),
  nobodys(unknownAccount, inDoubt, { code: /^5/, stages: toRecipient }),
  nobodys(
    String.raw`\b(account|user|service)\b.{0,60}\b(disabled|deactivated|inactive|expired|discontinued|terminated|suspended|not active|closed|blocked|locked)`,
    inDoubt,
    { enhanced: /^5\.[12]\.\d/, stages: toRecipient },
  ),
  nobodys(
    String.raw`\bdomain( name)?( \S+)? (is |was )?(not found|does not exist|unknown)|\bunknown domain\b`,
    inDoubt,
    { code: /^5/, stages: ['data', 'dot'] },
  ),
  // The address. Only at 5yz and after the recipient was named.
  {
    text: /recipient address rejected: access denied.*(AS\(201806281\)|EOP|prod|outlook)?/i,
    enhanced: /^5\.4\.1$/,
    code: /^5/,
    stages: toRecipient,
    means: gone,
  },
  {
    text: /\b(unknown|invalid|illegal|nonexistent|non-existent|no such|not a (known|valid)|not an? existing) (local )?(e-?mail )?(user|users|mailbox|mailboxes|recipient|address|addressee|account|person|local[- ]?part|alias|destination)\b|\bno such (user|mailbox|recipient|address|person|account|local|domain)|\b(user|recipient|mailbox|addressee|address|account|alias|e-?mail account)\b( \S{1,260}){0,8} (does not exist|doesn't exist|do not exist|not exist|not found|(is )?unknown|(was |is )?not known|cannot be found|could not be found|(is )?invalid|(is )?not valid|no longer (exists?|valid|available|here|active)|has been (deleted|removed|closed|terminated)|not available\b.*unknown)|(user|recipient|mailbox|addressee) unknown|no mailbox here|mailbox (name )?not found|\(S2017062302\)|unrouteable address|unroutable|RecipientNotFound|RecipNotFound|ADR\.RecipNotFound|doesn't have an? \S+ account|not our customer|not listed in (public )?(name|domino)|no (user|account|mailbox) by that name|sorry, no mailbox|user (not|does not) exist|unknown or illegal|all recipients (address )?rejected|recipient (not found|rejected: (user|unverified address|undeliverable))|undeliverable address|this address no longer|\S@\S+( is)? no longer (valid|active|available|in use|exists?)|dosn't exist|addressee unknown/i,
    code: /^55[0-4]|^501|^511|^556/,
    stages: toRecipient,
    means: gone,
  },
  // An account that is disabled may be ours. It is the recipient's if the code or the text says so.
  {
    text: /(account|user)\b.{0,60}\b(disabled|deactivated|inactive|expired|discontinued|terminated|suspended|not active|is closed)/i,
    enhanced: /^5\.[12]\.\d/,
    code: /^5/,
    stages: toRecipient,
    means: gone,
  },
  {
    text: /(mailbox|mail box|recipient|addressee|address|e-?mail account)\b.{0,60}\b(disabled|deactivated|inactive|expired|discontinued|terminated|suspended|blocked by the (owner|provider)|not active|is closed)|\S@\S.{0,80}\b(disabled|deactivated|inactive|expired|discontinued|terminated|suspended|not active|is closed)|(disabled|deactivated|inactive|expired|discontinued|suspended) (account|user|mailbox|recipient|address):? <?\S+@\S/i,
    code: /^5/,
    stages: toRecipient,
    means: gone,
  },
  {
    text: /(domain|host)( name)?( \S+)? (not found|does not exist|unknown|has no|isn't|is not a valid)|null ?mx|domain does not accept (any )?mail|unknown domain|no mx|no valid (mx|mail)|nullMX|host unknown|bad destination (host|system)/i,
    code: /^5/,
    stages: toRecipient,
    means: gone,
  },
  // The sample text of RFC 5321 for 550, which servers also use for policy: hard, but it does not suppress unless the code
  // or another phrase names the address. 5.7.x stays a matter of policy.
  {
    text: /mailbox (name )?(is )?(unavailable|not available)/i,
    enhanced: /^5\.[05]\.\d/,
    code: /^55[0-4]/,
    stages: toRecipient,
    means: { bounce: 'hard', scope: 'recipient' },
  },
];

/** A word for a recipient, or that something does not exist. */
export const namesRecipient =
  /\b(users?|mail ?box(es)?|recipients?|address(ee)?s?|e-?mail|inbox|local[- ]?part|person|destination|hosts?|domain|mx)\b|unknown|not? (found|exist|known|such|here|valid)|(doesn|don|does no|do no)['’]?t? exist|inexist|\bno (user|one)|delivered|nicht|unbekannt|inconnu|desconocid|desconhecid|sconosciut|onbekend|nieznan|neznám|ukendt|okänd|ukjent|tuntematon|bilinmeyen|неизвест|не существ|不存在|无此|不明|存在しません/i;

/** A code for an address that does not exist, with words that speak of a rule instead. */
export const namesPolicy = /\b(polic(y|ies)|restricted|restrictions?|prohibited|forbidden|permission|filter(ed|s)?)\b/i;

/**
 * An account that cannot be used, without a sign whose it is: in the conversation with our relay it may be ours. A notice that
 * comes back is about the recipient.
 */
export const anyAccount: TextRule = {
  text: /\b(account|user|domain|service|subscription|plan)\b.{0,60}\b(disabled|deactivated|inactive|expired|discontinued|terminated|suspended|blocked|locked|restricted|limited|not active|closed|on hold)|(disabled|deactivated|inactive|expired|suspended|blocked|locked|restricted) (account|user|domain|service|plan)|account (password|under (review|investigation))|(账号|帐号|账户|帐户|賬號|帳號|帳戶).{0,12}(封|禁|冻|凍|停|锁|鎖)|계정|アカウント/i,
  means: ourRelay,
};

export const byEnhanced: { enhanced: RegExp; means: Judgement }[] = [
  // RFC 3463 3.2, RFC 5248, RFC 7505 (5.1.10: null MX).
  { enhanced: /^\d\.1\.(1|2|3|6|10)$/, means: gone },
  { enhanced: /^\d\.1\.(7|8|9)$/, means: contentRefused },
  { enhanced: /^\d\.1\.\d+$/, means: { bounce: 'generic', scope: 'recipient' } },
  // 3.3: mailbox.
  { enhanced: /^5\.2\.1$/, means: gone },
  { enhanced: /^\d\.2\.[123]$/, means: full },
  { enhanced: /^\d\.2\.\d+$/, means: { bounce: 'generic', scope: 'recipient' } },
  // 3.4: the receiving system.
  { enhanced: /^\d\.3\.4$/, means: full },
  { enhanced: /^4\.3\.1$/, means: relayBusy },
  { enhanced: /^4\.3\.\d+$/, means: slowDown },
  { enhanced: /^5\.3\.\d+$/, means: { bounce: 'generic', scope: 'recipient' } },
  // 3.5: network and routing.
  { enhanced: /^5\.4\.4$/, means: { bounce: 'hard', scope: 'recipient' } },
  { enhanced: /^4\.4\.\d+$/, means: slowDown },
  // Delivery time expired.
  { enhanced: /^5\.4\.7$/, means: { bounce: 'temporary', scope: 'recipient' } },
  { enhanced: /^5\.4\.\d+$/, means: { bounce: 'generic', scope: 'recipient' } },
  { enhanced: /^4\.5\.3$/, means: relayBusy },
  { enhanced: /^4\.[56]\.\d+$/, means: { bounce: 'temporary', scope: 'recipient' } },
  { enhanced: /^5\.[56]\.\d+$/, means: { bounce: 'generic', scope: 'recipient' } },
  // 3.8: security and policy. RFC 7372 and its registry: 20 to 27 and 29 are about the sender's authentication.
  { enhanced: /^\d\.7\.(2[0-79]|30)$/, means: contentRefused },
  { enhanced: /^5\.7\.(8|9|11)$/, means: ourRelay },
  { enhanced: /^4\.7\.(0|1|28)$/, means: slowDown },
  { enhanced: /^4\.7\.\d+$/, means: { bounce: 'blocked', scope: 'domain' } },
  { enhanced: /^5\.7\.\d+$/, means: badReputation },
];

export const byCode: { code: RegExp; stages?: Stage[]; means: Judgement }[] = [
  { code: /^421$/, means: slowDown },
  { code: /^45[02]$/, means: { bounce: 'temporary', scope: 'recipient' } },
  { code: /^454$/, means: relayBusy },
  { code: /^4/, means: { bounce: 'temporary', scope: 'recipient' } },
  // RFC 4954, RFC 3207.
  { code: /^53[0458]$/, means: ourRelay },
  // RFC 7504: the domain accepts no mail at all.
  { code: /^(521|556)$/, stages: ['rcpt'], means: gone },
  { code: /^551$/, stages: ['rcpt'], means: gone },
  // The address is refused without a reason: a hard bounce, but it is not suppressed.
  { code: /^55[03]$/, stages: ['rcpt'], means: { bounce: 'hard', scope: 'recipient' } },
  { code: /^552$/, means: full },
  { code: /^5/, means: { bounce: 'generic', scope: 'recipient' } },
];
