// Replies that refuse us instead of the recipient: the account, its plan or credit, the password, the sender, the
// configuration, the network we send from, or a rate, session or quota of the relay. Services give them at any step, also as
// 5yz after RCPT and after the message. Each is deferred and costs no recipient, so when in doubt a phrase is here.
// These rules come before those about mailboxes, which use many of the same words.
import type { Judgement, TextRule } from './judgement.ts';

const slowDown: Judgement = { kind: 'later', bounce: 'temporary', scope: 'domain' };
/** Of scope domain: a limit only when it comes at MAIL or before. */
export const tooFast: Judgement = { ...slowDown, limit: 'rate' };
export const ourRelay: Judgement = { kind: 'later', bounce: 'blocked', scope: 'relay' };
export const relayBusy: Judgement = { kind: 'later', bounce: 'temporary', scope: 'relay' };
const senderRefused: Judgement = { kind: 'later', bounce: 'blocked', scope: 'account' };
const sessionLimit: Judgement = { ...relayBusy, limit: 'session' };
const relayRate: Judgement = { ...relayBusy, limit: 'rate' };
export const relayQuota: Judgement = { ...relayBusy, limit: 'quota' };

/** States of an account, a user or a domain that may not send. */
const off =
  "disabled|suspended|blocked|locked|deactivated|inactive|not active|activated|expired|closed|terminated|restricted|limited|frozen|banned|paused|on hold|(under|pending) (review|investigation|approval|verification|activation)|not found|unknown|invalid|incorrect|missing|not (yet |been |currently )*(approved|verified|valid|complete|available|assigned|allowed|authori[sz]ed|permitted|enabled|confirmed|validated|active|activated|set ?up|configured|exist|recogni[sz]ed)|unverified|unapproved|unpaid|past due|overdue|exhausted|exceed(s|ed)?|cancel+ed|revoked|deleted|removed|does(n't| not) exist|no longer (exists?|valid|active|allowed)|under investigation|compromised|flagged|hacked|abus|over (its|the) ";

const ours = (source: string, means: Judgement, more: Partial<TextRule> = {}): TextRule => ({
  text: new RegExp(source, 'i'),
  ...more,
  means,
});

export const ourRules: TextRule[] = [
  // Postfix's limit of recipients in a time, which it gives at RCPT.
  { text: /\berror: too many recipients from \S+$/i, means: relayRate },
  // What a mailbox may receive in a time, and what one domain or host takes from us.
  {
    text: /(recipient|mailbox|user|inbox|addressee)\b.{0,80}\b(receiv(e|es|ed|ing)|accept(s|ed|ing)?) (too (many|much)|mail too|messages? (at a rate|too)|.{0,40}(per|an?|each) (hour|day|minute))|(recipient|mailbox|user) has exceeded (their|its) .{0,40}\breceive/i,
    means: { kind: 'later', bounce: 'temporary', scope: 'recipient' },
  },
  {
    text: /^(?!.*(unsolicited|reputation|complaint)).*\b(too many|too much|rate|limit|limited|exceed(s|ed|ing)?|maximum)\b.{0,80}\b(from|by|of|for) (your|this|the|that)?( sending| client| remote| source)? ?(ip|host|network|mta|\[?\d{1,3}(\.\d{1,3}){3})/i,
    means: tooFast,
  },
  // What the relay limits. A mailbox has a quota too, so a bare "quota exceeded" is none of these.
  {
    text: /(messages?|mail(s)?|e-?mail(s)?|transactions?|envelopes?|recipients?|commands?|count)\b.{0,50}\b(per|in|on|for|during|over) (the|this|a|an|one|each|your|the same|a single|single|current)? ?(current )?(smtp )?(session|connection)\b|(too many|maximum|limit of|no more) (messages|mail(s)?|emails|transactions|envelopes) (this|per) (session|connection)|(session|connection) (message|mail|transaction|e-?mail) (limit|count|quota)|(message|mail|transaction|e-?mail) limit (reached|exceeded) (for|in|on) (this|the) (session|connection)|exceeded (the )?(allowable|allowed|maximum) (connection|session) time|(connection|session) (time|duration) (limit )?(exceeded|expired)|(session|connection) (limit|lifetime) (reached|exceeded|expired)/i,
    means: sessionLimit,
  },
  {
    text: /^(?!.*\b(mailbox|mail box|inbox|storage|disk)\b).*\b(?:(daily|hourly|weekly|monthly|24[- ]?hours?|(per|an?|this|each|for the|for this|past|last) (24 hours|hour|day|week|month)|today'?s?)\b.{0,60}\b(quotas?|limits?|limitations?|allowances?|caps?|maximum|threshold)\b.{0,40}\b(exceed(s|ed|ing)?|reached|hit|used|over|full)|(exceed(s|ed|ing)?|reached|hit|used up|over)\b.{0,60}\b(daily|hourly|weekly|monthly|24[- ]?hours?)\b.{0,40}\b(quotas?|limits?|allowances?|caps?|maximum|credits?|messages|recipients|e-?mail(s)?)|(exceed(s|ed|ing)?|reached|hit|over|too many)\b.{0,60}\b(e-?mail(s)?|mail(s)?|messages?|recipients?|failures)\b.{0,30}\b(per|an?|each|this|in one|within the (last|past)|in the (last|past)) (24 ?hours?|hour|day|week|month)\b)/i,
    means: relayQuota,
  },
  {
    text: /\b(sending|send|submission|outgoing|outbound|relay|sender|smtp)[- ](message |mail |e-?mail )?(quotas?|limits?|allowance|credits?)\b.{0,40}\b(exceed(s|ed|ing)?|reached|hit|used up|over)|exceeded.{0,30}\b(sending|submission|outgoing|outbound|relay|sender) (quotas?|limits?)|(submission|recipient|message)(quota|rate|limit)exceeded|SubmissionQuotaExceeded|RecipientRateExceeded|tenant has exceeded|(maximum|plan'?s?|your) credits? exceeded|\b(no|not enough|insufficient|out of|zero) (more |remaining |e-?mail |sending |smtp )*credits?\b|credits? (have been |has been |is |are )?(exhausted|used up|exceeded|insufficient)|(mail|message|e-?mail) quota for (this|your) (account|user|domain|sender|server)/i,
    means: relayQuota,
  },
  {
    text: /^(?!.*\b(mailbox|inbox|storage|disk|size|octets|bytes|large|header|hop|attachments?)\b).*\b(?:you(r \S+)?|user|account|sender|domain)( have| has|'ve)? (now |already )*(reached|exceeded|hit|used up)\b.{0,60}\b(limits?|quotas?|allowance|maximum)\b|(messages?|mail(s)?|e-?mail(s)?|recipients?) (per|an|a|each) (second|minute|hour|day|week|month)\b.{0,40}\b(exceed(s|ed)?|reached)|(message|mail|e-?mail|recipient|sender|sending) (count |rate )?(quota|over-?limit)|rate over-?limit|outgoing throttle|(?<!recipient )\b(message|mail|e-?mail) limits? (is |was |has been |have been )?(exceeded|reached)/i,
    means: relayQuota,
  },
  {
    text: /^(?!.*\b(mailbox|inbox|storage|disk|size)\b).*(\b(spending|spend|sends?|sending|recipients?|trial|usage|billing) (limits?|caps?|allowance|budget|quota)\b.{0,40}\b(exceed(s|ed)?|reached|hit|used|over|exhausted)|\b(quota|limit)( is| was| has been)? (exceeded|reached)\b.{0,30}\b(outgoing|outbound|sending|submission|sent)\b|\bover (your|its|the|their) (daily |hourly |monthly )?(send(ing)?|e-?mail|mail|message|submission|plan|usage) (limits?|quota|allowance)|\bused (up )?(all )?(of )?(your|the) (\S+ )?(trial|credits?|allowance|quota|budget|e-?mail(s)?)|\b(allowance|allocation)\b.{0,40}\b(used|exhausted|exceeded|reached|spent)|\binsufficient (funds|balance)|\bbalance (is )?(too low|insufficient|exhausted|negative|zero)|\b(max(imum)?|limit of|number of) (sends|e-?mail(s)?|messages|mail(s)?|recipients) (per|an?|each|this) (hour|day|week|month|billing)\b.{0,40}\b(exceed(s|ed)?|reached|hit|used))/i,
    means: relayQuota,
  },
  { text: /quota (limit )?(exceeded|reached)/i, enhanced: /^[45]\.7\./, means: relayQuota },
  {
    text: /throttling failure|maximum sending rate|(sending|submission|send|outgoing|outbound) (rate|frequency|speed)\b|(message|mail|e-?mail|recipient) (submission )?rate for this (client|user|account|sender|connection)|rate[ -]?limit.{0,30}\b(for|of|on) (your|this) (account|user|sender|client|credentials?|api|token|domain|plan|server)|sender thread limit|too many login attempts|your (account|plan|server|user|smtp user).{0,40}(rate[ -]?limit|throttl)/i,
    means: relayRate,
  },
  {
    text: /\bflow control\b|\b(fewer|less) (messages|mail(s)?|e-?mail(s)|connections|recipients|often)\b|\b(reduce|lower|limit|decrease|slow)( down)? (your |the )?((message|sending|send|delivery|submission|mail|e-?mail|connection) )?(rate|speed|frequency|volume|sending|delivery)\b|\b(sending|send|delivering|connecting|mailing|submitting|going|coming|sent|arriv\S+)\b.{0,30}\btoo (fast|quick(ly)?|rapid(ly)?|often|frequent(ly)?)\b|\bslow(er)?\b.{0,20}\b(please|down|sending|your)\b|\bplease slow|\bwait\b.{0,20}\bbefore (sending|the next|another|next)|\bmax(imum)? (message |send |sending |mail )?rate\b|\bper second\b.{0,30}\b(exceed(s|ed)?|reached)|\bback ?off\b|\b(message|sending|mail|e-?mail|connection) (speed|frequency) (limit|exceed|too)/i,
    means: tooFast,
  },
  // The sender address or domain, refused by the relay. Receivers that miss SPF, DKIM or DMARC are in rules.ts.
  ours(
    String.raw`(e-?mail address|domain|identit(y|ies)|sender identity|from address|sender( address| domain)?|sending domain|from domain|return[- ]path|mail from( address| domain)?)( \S{1,120})? (is |are |was |has |have |does |do |did |could )?(not|n't) (been |yet |match |a |be )*(verified|validated|confirmed|registered|approved|configured|activated|signed up|set ?up|found in your)|sender (identity|signature)|(unknown|suspended|blocked|locked|disabled) sender\b|(invalid|unknown|bad|missing|unresolvable|non-?existent) (domain|address|user) in (the )?(mail from|envelope sender|return[- ]path|from header)|(unverified|unconfigured|unregistered|unauthori[sz]ed|unapproved|unvalidated|invalid|forbidden|unsigned) (sender|sending domain|from|sender domain|sender address|from address|from domain|sending address|mail from|envelope sender|return path)|not a (verified|valid|registered|confirmed) (sender|sender signature|identity|domain)`,
    senderRefused,
  ),
  ours(
    String.raw`sender (address )?(rejected|verify failed|verification failed|denied|domain|is not|not|was|must|unauthori[sz]ed)|domain of sender address|(cannot|could not|unable to) verify (the )?sender|sender address (does not|is invalid)|bad sender|(from|sender|envelope|return[- ]path)( e-?mail)? (address|domain|header)\b.{0,60}\b(not|isn't) (an? )?(allowed|owned|permitted|authori[sz]ed|one of|listed|accepted|belong|local|valid)|does not belong to (you|your|this|the) (account|user|auth)|not owned by (the )?(user|auth)|sendas ?denied|send as denied|not have permissions? to send as|not (allowed|authori[sz]ed|permitted) to (send (as|from|with|on behalf|mail as|e-?mail as|e-?mail from)|use (this|the) (address|sender|from|domain|return))|must (use|match|be) (the |your |an? )?(same |verified |authenticated |authori[sz]ed |own )+(sender|from|address|e-?mail|domain|account|user)|relaying disallowed as|use your own (e-?mail )?address|domain\b.{0,60}\b(is )?not (allowed|authori[sz]ed|permitted|enabled|approved|verified) (to send|for sending|for relay|on this|for this account|as (a )?sender|to use)`,
    senderRefused,
  ),
  ours(
    String.raw`\b(from|sender|sending|envelope|return[- ]path|mail[- ]?from|from\.email) (domain|address|host|identity)( \S{1,120})? (is |was |must be |could not be |cannot be |needs to be |has to be )*(unknown|not found|nonexistent|non-existent|does(n't| not) exist|invalid|verified|validated|confirmed|authenticated|registered|resolved|blocked|disabled|suspended|expired)`,
    senderRefused,
  ),
  // The account with the relay, and what belongs to it.
  // What only a client of the relay has.
  ours(
    String.raw`^(?!.*\b(recipient|mailbox|addressee|inbox)\b).*\b(api|smtp|server|message stream|stream|access|security|auth|bearer|session)?[- ]?(token|api ?key|message stream|server id|virtual mta|profile|contract|licen[sc]e|package|workspace|sub-?account|customer|tenant|credentials?|sending domain|certificate|subscription|project|(app )?password)\b.{0,40}\b(${off})`,
    ourRelay,
  ),
  ours(
    String.raw`\b(no|without( an?)?|missing) (valid |active |current )*(subscription|plan|licen[sc]e|contract|package|credentials?|api ?key|token)\b|\byou (have been|were) (temporarily |permanently |currently )?(suspended|disabled|banned|restricted|deactivated|terminated)|\b(app(lication)?[- ]?(specific[- ])?passwords?|two-?factor( auth\w*)?|2fa|mfa|multi-?factor( auth\w*)?|smtp auth|sign-?in|login)( is| are)? (required|needed|necessary)|\bterms( of (service|use)| and conditions)?\b.{0,40}\b(accept|agree)|\b(accept|agree to)\b.{0,20}\bterms|\b(please )?(activate|verify|confirm|validate|complete)( the (verification|activation|setup) of)? (your|this|the) (\S+ )?(account|profile|e-?mail address|domain|phone|registration|identity|sender|company|organi[sz]ation)\b|account (is |was )?(currently |still )?(under|in|pending) (\S+ )?(review|investigation|verification|approval|activation)|5\.7\.50[123]\b|\b(e-?mail|mail|message|messages) outgoing (is |was |has been )?(blocked|disabled|suspended|denied)`,
    ourRelay,
  ),
  ours(
    String.raw`^(?!.*\b(recipient|mailbox|addressee|inbox)\b).*(\b(account|subscription|plan|licen[sc]e)\b.{0,40}\b(past due|overdue|unpaid|on hold|not (been )?paid|enforcement)\b|\b(licen[sc]e|plan|subscription|permission) (for|of) (the |this )?user\b|\b(compliance|kyc|know your customer|onboarding|company|identity|business) (verification |check |review )?(is )?(pending|on hold|hold|required|incomplete|failed|not complete)|\byour (\S+ ){0,2}(key|token|user|role|login|account|plan|credentials?) (lacks?|misses|needs|requires|has no|does(n't| not)|have (no|been)|do(n't| not))|\bcredentials? (have|has) been|\baccess key\b|\b(add|register|authori[sz]e|allow|whitelist|verify) (your|this|the) (\S+ )?(ip|network|sending server)\b|\bno (sending |paid |e-?mail |smtp |relay )+(plan|subscription|licen[sc]e|package|contract)\b|\btrial\b.{0,20}\b(over|ended|expired))`,
    ourRelay,
  ),
  // At MAIL no one but us was named.
  {
    text: /\b(your|this|client|source|sending)( (ip|host|server|network|address|client))+\b.{0,40}\b(banned|blocked|black-?listed|denied|refused|rejected|not (allowed|accepted|welcome))/i,
    stages: ['mail'],
    means: ourRelay,
  },
  ours(
    String.raw`\b(your (e-?mail |mail )?mailbox|sender|relay login|smtp login|(account|sending|smtp) password|the (mailbox|account|address) you (are|were) (sending|using))\b.{0,40}\b(${off})|password (has |is )?(expired|must be changed)|change your password|\bfor your (account|plan|subscription|organi[sz]ation)\b|your (plan|account|subscription|package) (do(es)?|can|may)( not|n't)|not (included in|part of) your|user: relay login|account under (review|investigation)|\b(your|sender'?s?|sending|smtp|trial|free|customer|client|reseller|api|submission|authenticated|billing|sub-?) ?(e-?mail |smtp |relay |sending |trial |free |api )?(account|user(name)?|plan|subscription|service|login|key|credentials?|token|access|tenant|organi[sz]ation|domain|project|workspace|server|package|licen[sc]e|password|authentication|auth)\b.{0,80}\b(${off})`,
    ourRelay,
  ),
  ours(
    String.raw`\b(suspended|disabled|blocked|locked|deactivated|expired|unverified|unknown|invalid|wrong|bad|incorrect|revoked) (smtp |api |relay |sasl |sending |auth(entication)? |sender )+(account|user|login|key|credentials?|token|domain|password|username|service|plan)\b|\b(api|smtp|relay|sasl|submission) (user|login|account|key|username|credentials?)\b.{0,60}\b(${off})|\b(invalid|wrong|bad|incorrect|expired|revoked|unknown) (api[ -]?key|credentials?|(server|access|api|auth) token|password|login|username or password|user ?name or password)|not in the list of (allowed|authori[sz]ed|permitted) (senders|clients|hosts)|sending (was |is |has been )?(refused|denied|rejected)|authentication (failed|failure|unsuccessful|error|credentials)|(could not|cannot|can't|failed to|unable to) authenticate|login (failed|fail\b|denied|disabled|incorrect)|invalid login|account is abnormal`,
    ourRelay,
  ),
  ours(
    String.raw`\b(outgoing|outbound) (e-?mail|mail|message|smtp|spam)(s)?\b.{0,120}\b(suspend|block|disabl|hold|held|not allowed|not permitted|reject|refus|restrict|limit|denied|paused|detected|quota)|OutboundSpam|(suspend|block|disabl|restrict|paus|limit)(ed|ing)?\b.{0,30}\b(outgoing|outbound) (e-?mail|mail|message|smtp)`,
    ourRelay,
  ),
  ours(
    String.raw`\b(sending|e-?mail sending|smtp( sending| access| service| relay| auth(entication)?)?|relay(ing)?( access| service)?|submission|mail(ing)? privileges?|sending privileges?|send(ing)? permissions?|SmtpClientAuthentication)( of)?( e-?mail| mail| messages)?( for| from| by| on)?( this| your| the)?( account| user| domain| tenant| server| mailbox| plan)? (has been |have been |is |are |was |were )?(temporarily |currently |permanently )?(suspended|disabled|blocked|paused|restricted|revoked|turned off|switched off|not enabled|not allowed|not active|not available (on|for|in) (your|this)|limited|deactivated|locked)`,
    ourRelay,
  ),
  ours(
    String.raw`\b(not|no longer|isn't|aren't|cannot|can't|unable|forbidden|prohibited|denied|disallowed) (been )?(yet )?(currently )?(allowed |authori[sz]ed |permitted |enabled |able |approved |eligible |verified )?(to |from |for )?(send(ing)?|submit(ting)?|transmit|deliver outgoing)\b(?! to (this|that|the) (recipient|group|list|mailbox|address|user|distribution))|no (permission|rights?|privileges?) to send|(can|may) only (send|submit|relay)|unauthenticated (senders|users?|clients?|submission)|(account|server|domain|ip)\b.{0,40}\b(identified|detected|reported|found|caught) (as |for )?sending|(blocked|banned|barred|suspended|disabled|restricted|prevented|paused) (from|for) (sending|relaying|outgoing|outbound)|(account|user|domain|tenant|organi[sz]ation|server)\b.{0,40}\b(may|can|must|could) ?not (send|submit|relay)|not have (the )?(permissions?|rights?|access rights|privileges?) (to|for) (send|use|this service|smtp)`,
    ourRelay,
  ),
  ours(
    String.raw`\b(account|user|tenant|customer|client|domain|subscription|organi[sz]ation|project)\b.{0,60}\b(suspended|disabled|blocked|locked|restricted|banned|limited|deactivated|paused) (for|from|due to|because of|by|until)\b.{0,40}\b(send|spam|abuse|sending|relay|outgoing|outbound|payment|billing|bounce|complaint|violat|terms|policy|fraud|security|compromise|unusual|suspicious|the administrator|administrator|your provider|support)`,
    ourRelay,
  ),
  ours(
    String.raw`\b(trial|sandbox(es|ed)?|test mode|free (plan|tier|account)s?|upgrade (your|to|the) |please upgrade|(un)?paid (plan|invoice|account)|invoice|overdue|payment (is )?(required|due|failed|method|overdue|missing)|billing|insufficient (funds|balance|credits?)|(account )?balance (is )?(too low|insufficient|exhausted|negative|zero)|pending approval|production access|verified recipients? only|authori[sz]ed recipients)\b|subscription (has )?(expired|ended|lapsed|been cancel)`,
    ourRelay,
  ),
  ours(
    '(contact|e-?mail|write to|call|reach)( to)? (our |the |your )?(customer |technical |account )?support( team| desk)?( to| for)? (re-?)?(activat|enabl|unblock|reinstat|restore|upgrade|increase|lift)|(to )?(re-?activate|reinstate|unblock|unlock|restore) (your|the|this) (account|access|sending|service|domain)|(verify|confirm|validate|activate|complete|finish)(ing)? (your|the setup of your) (account|e-?mail address|domain|phone|registration|identity|sender|profile|sending domain)|log ?in to (your )?(account|control panel|dashboard|web ?mail)',
    ourRelay,
  ),
  ours(
    String.raw`(unusual|suspicious|abnormal|excessive|fraudulent|irregular) (outgoing |outbound |account |e-?mail |mail )?(sending|activit(y|ies)|login|sign-?in|usage|behaviou?r|volume of outgoing)|(account|user|credentials?|password|mailbox)\b.{0,50}\b(compromised|hacked|hijacked)|high (bounce|complaint|spam) rates?|(bounce|complaint|spam) rate (is )?(too high|exceed)`,
    ourRelay,
  ),
  // Amazon's permissions and configuration sets; the submission side of Exchange Online and its tenants.
  ours(
    String.raw`is not authori[sz]ed to perform|arn:aws|configuration ?set|ConfigurationSet|explicit deny|STOREDRV\.(Submission|ClientSubmit)|WASCL UserAction|SmtpClientAuthentication|tenant (has )?(exceeded|is |does |not |restricted|blocked)|for the tenant|unregistered domains?|5\.7\.7(0[58]|50|05|08)\b|5\.7\.1(39|40|35)\b|bad outbound sender|AS\(42\d{3}\)|5\.1\.8\b.{0,20}Access denied`,
    ourRelay,
  ),
  // The network we send from, where the relay has to know it.
  ours(
    String.raw`unauthori[sz]ed ip|\bip( address(es)?)?\b.{0,60}\b((is |are |was )?(not|isn't) (authori[sz]ed|allowed|permitted|registered|white-?listed|on (the|your)|in (the|your)|one of)|doesn'?t match|does not match|unauthori[sz]ed|must be (added|registered|authori[sz]ed|allowed))|(not|add|register)\b.{0,30}\b(white|allow) ?-?list|access (from|by) (this|your) (ip|network|country|host)|(unknown|unregistered|unauthori[sz]ed) (client|host|server|network|relay host)|Invalid credentials for relay`,
    ourRelay,
  ),
];
