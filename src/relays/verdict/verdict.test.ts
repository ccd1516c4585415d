// The verdicts on replies as providers and servers word them, and on connections that broke off. Each line: step, the
// reply as sent (one space for each line end), and its meaning: f failed, l later or d in doubt, then the bounce class, the scope,
// and "off" when the address is suppressed, or what the relay limits (session, rate, quota).
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/run/runs.ts';
import { bounceClass, statusIn } from '../../returned/parse/class.ts';
import { ReplyReader, replied } from '../smtp/replies.ts';
import type { Outcome, Stage } from './outcome.ts';
import { isTooFastForSomeone, isUnknownDeferral, verdict } from './verdict.ts';

type Line = [stage: Stage, reply: string, means: string];

const gmail: Line[] = [
  ['dot', '250 2.0.0 OK  1712345678 a1-20020a05600c1d0500b003fe3c5a4e8asi123456wmb.31 - gsmtp', 'accepted'],
  [
    'rcpt',
    "550-5.1.1 The email account that you tried to reach does not exist. Please try\n550-5.1.1 double-checking the recipient's email address for typos or\n550 5.1.1 unnecessary spaces. For more information, go to https://support.google.com/mail/?p=NoSuchUser - gsmtp",
    'f hard recipient off',
  ],
  [
    'rcpt',
    '550 5.2.1 The email account that you tried to reach is disabled. Learn more at https://support.google.com/mail/?p=DisabledUser - gsmtp',
    'f hard recipient off',
  ],
  [
    'rcpt',
    '550-5.2.1 The email account that you tried to reach is inactive. Learn more at\n550 5.2.1 https://support.google.com/mail/?p=DisabledUser - gsmtp',
    'f hard recipient off',
  ],
  [
    'rcpt',
    '450-4.2.1 The user you are trying to contact is receiving mail at a rate that\n450-4.2.1 prevents additional messages from being delivered. Please resend your\n450 4.2.1 message at a later time. - gsmtp',
    'l temporary recipient',
  ],
  [
    'rcpt',
    '550-5.2.1 The user you are trying to contact is receiving mail at a rate that\n550 5.2.1 prevents additional messages from being delivered. - gsmtp',
    'l temporary recipient',
  ],
  [
    'rcpt',
    "452-4.2.2 The recipient's inbox is out of storage space. Please direct the\n452 4.2.2 recipient to https://support.google.com/mail/?p=OverQuotaTemp - gsmtp",
    'l soft recipient',
  ],
  [
    'rcpt',
    "552-5.2.2 The recipient's inbox is out of storage space and inactive. Please direct\n552 5.2.2 the recipient to https://support.google.com/mail/?p=OverQuotaPerm - gsmtp",
    'f soft recipient',
  ],
  ['rcpt', '552 5.2.2 The email account that you tried to reach is over quota. - gsmtp', 'f soft recipient'],
  [
    'dot',
    '421-4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your IP address. To protect our users from spam, mail sent from your IP address\n421 4.7.28 has been temporarily rate limited. - gsmtp',
    'l blocked domain',
  ],
  [
    'dot',
    '550-5.7.1 [192.0.2.1] Our system has detected that this message is likely\n550-5.7.1 unsolicited mail. To reduce the amount of spam sent to Gmail, this message\n550 5.7.1 has been blocked. - gsmtp',
    'f blocked account',
  ],
  [
    'dot',
    '550-5.7.1 [192.0.2.1 19] Our system has detected that this message is likely suspicious due to the very low reputation of the sending IP address.\n550 5.7.1 - gsmtp',
    'f blocked domain',
  ],
  [
    'dot',
    '550-5.7.1 This message is likely suspicious due to the very low reputation of the sending domain.\n550 5.7.1 - gsmtp',
    'f blocked domain',
  ],
  [
    'dot',
    '550-5.7.26 This mail has been blocked because the sender is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.\n550 5.7.26 - gsmtp',
    'f blocked account',
  ],
  [
    'dot',
    "550-5.7.26 Unauthenticated email from sender.example is not accepted due to domain's DMARC policy.\n550 5.7.26 - gsmtp",
    'f blocked account',
  ],
  [
    'dot',
    '421-4.7.26 This mail has been rate limited because it is unauthenticated.\n421 4.7.26 - gsmtp',
    'l blocked account',
  ],
  [
    'dot',
    '550-5.7.25 [192.0.2.1] The IP address sending this message does not have a PTR record setup\n550 5.7.25 - gsmtp',
    'f blocked domain',
  ],
  [
    'mail',
    '550 5.4.5 Daily user sending limit exceeded. For more information on Gmail sending limits go to - gsmtp',
    'l temporary relay quota',
  ],
  ['rcpt', '452 4.5.3 Your message has too many recipients. - gsmtp', 'l temporary domain'],
  [
    'dot',
    '552-5.7.0 This message was blocked because its content presents a potential security issue.\n552 5.7.0 - gsmtp',
    'f blocked account',
  ],
  ['dot', "552 5.3.4 Your message exceeded Google's message size limits. - gsmtp", 'f soft recipient'],
  ['data', '421 4.3.0 Temporary System Problem. Try again later (10). - gsmtp', 'l temporary domain'],
  ['auth', '535 5.7.8 Username and Password not accepted. - gsmtp', 'l blocked relay'],
  ['mail', '530 5.7.0 Authentication Required. - gsmtp', 'l blocked relay'],
  ['mail', '530 5.7.0 Must issue a STARTTLS command first. - gsmtp', 'l blocked relay'],
];

const microsoft: Line[] = [
  [
    'rcpt',
    '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [DB5EUR01FT012.eop-EUR01.prod.protection.outlook.com]',
    'f hard recipient off',
  ],
  [
    'rcpt',
    '550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [DB5EUR03FT012.eop-EUR03.prod.protection.outlook.com]',
    'f hard recipient off',
  ],
  [
    'dot',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
    'f hard recipient off',
  ],
  ['dot', '550 5.1.1 RESOLVER.ADR.RecipNotFound; not found', 'f hard recipient off'],
  [
    'dot',
    '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException.MapiExceptionShutoffQuotaExceeded',
    'f soft recipient',
  ],
  ['dot', '452 4.2.2 Mailbox full', 'l soft recipient'],
  ['dot', '554 5.2.1 mailbox disabled', 'f hard recipient off'],
  [
    'mail',
    "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140). You can also refer your provider to http://mail.live.com/mail/troubleshooting.aspx#errors.",
    'l blocked relay',
  ],
  [
    'mail',
    "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).",
    'l blocked relay',
  ],
  [
    'rcpt',
    '550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/',
    'f blocked domain',
  ],
  [
    'rcpt',
    '550 5.7.511 Access denied, banned sender[192.0.2.1]. To request removal from this list please forward this message',
    'f blocked domain',
  ],
  [
    'rcpt',
    '451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation. For e-mail delivery information, see https://postmaster.live.com (S775)',
    'l blocked domain',
  ],
  ['dot', '451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77719)', 'l temporary domain'],
  [
    'dot',
    "550 5.7.515 Access denied, sending domain SENDER.EXAMPLE does not meet the required authentication level. The sender's domain in the 5322.From address doesn't meet the authentication requirements defined for the sender.",
    'f blocked domain',
  ],
  [
    'dot',
    '550 5.7.509 Access denied, sending domain sender.example does not pass DMARC verification and has a DMARC policy of reject.',
    'f blocked account',
  ],
  ['dot', '550 5.7.23 The message was rejected because of Sender Policy Framework violation', 'f blocked account'],
  [
    'rcpt',
    '550 5.7.1 Service unavailable, Client host [192.0.2.1] blocked using Spamhaus. To request removal from this list see https://www.spamhaus.org/query/ip/192.0.2.1',
    'f blocked domain',
  ],
  ['rcpt', '550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain', 'l blocked relay'],
  ['rcpt', '550 5.7.64 TenantAttribution; Relay Access Denied', 'l blocked relay'],
  ['mail', '550 5.7.60 SMTP; Client does not have permissions to send as this sender', 'l blocked account'],
  [
    'dot',
    '554 5.2.252 SendAsDenied; anna@sender.example not allowed to send as news@sender.example',
    'l blocked account',
  ],
  ['mail', '530 5.7.57 SMTP; Client was not authenticated to send anonymous mail during MAIL FROM', 'l blocked relay'],
  ['auth', '535 5.7.139 Authentication unsuccessful, the user credentials were incorrect.', 'l blocked relay'],
  ['auth', '535 5.7.3 Authentication unsuccessful', 'l blocked relay'],
  ['mail', '452 4.3.1 Insufficient system resources', 'l temporary relay'],
  ['rcpt', '452 4.5.3 Too many recipients', 'l temporary domain'],
  ['rcpt', '550 5.1.8 Access denied, bad outbound sender AS(42003)', 'l blocked relay'],
  ['dot', '550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient', 'f soft recipient'],
  [
    'dot',
    '550 5.7.1 TRANSPORT.RULES.RejectMessage; the message was rejected by organization policy',
    'f blocked account',
  ],
  ['rcpt', '501 5.1.3 Invalid address', 'f hard recipient off'],
  [
    'connect',
    '421 4.3.2 The maximum number of concurrent server connections has exceeded a limit, closing transmission channel',
    'l temporary relay rate',
  ],
  ['dot', '432 4.3.2 STOREDRV; recipient thread limit exceeded', 'l temporary domain'],
  ['dot', '451 4.4.0 DNS query failed', 'l temporary domain'],
];

const yahooAndAol: Line[] = [
  [
    'dot',
    "554 delivery error: dd This user doesn't have a yahoo.com account (jane@yahoo.com) [0] - mta1234.mail.bf1.yahoo.com",
    'f hard recipient off',
  ],
  ['dot', '554 delivery error: dd Requested mail action aborted - mailbox not found', 'f hard recipient off'],
  [
    'dot',
    '554 delivery error: dd Sorry, your message to jane@yahoo.com cannot be delivered. This mailbox is disabled (554.30). - mta1.mail.yahoo.com',
    'f hard recipient off',
  ],
  ['dot', '552 1 Requested mail action aborted, mailbox not found', 'f hard recipient off'],
  [
    'mail',
    '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes',
    'l blocked relay',
  ],
  [
    'connect',
    '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to user complaints',
    'l temporary relay',
  ],
  [
    'mail',
    "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list; see https://postmaster.yahooinc.com/550-bl23.html",
    'l blocked relay',
  ],
  [
    'mail',
    '553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred; Retrying will NOT succeed.',
    'l blocked relay',
  ],
  [
    'dot',
    '554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes',
    'f blocked account',
  ],
  [
    'dot',
    '554 Message not allowed - [PH01] Email not accepted for policy reasons. Please visit https://postmaster.yahooinc.com/error-codes',
    'f blocked account',
  ],
  ['dot', '451 4.7.1 Resources temporarily restricted. Please try again later', 'l temporary domain'],
  ['dot', '451 4.3.2 Internal error reading data', 'l temporary domain'],
  [
    'rcpt',
    '550 5.1.1 <jane@aol.com>: Email address could not be found, or was misspelled (G8)',
    'f hard recipient off',
  ],
  ['rcpt', '421 4.7.1 : (DYN:T1) https://postmaster.aol.com/error-codes#421dynt1', 'l temporary domain'],
  ['dot', '554 5.7.1 : (HVU:B1) https://postmaster.aol.com/error-codes#554hvub1', 'f blocked account'],
];

const iCloud: Line[] = [
  ['rcpt', '550 5.1.1 <jane@icloud.com>: user does not exist', 'f hard recipient off'],
  ['rcpt', '552 5.2.2 <jane@icloud.com>: user is over quota', 'f soft recipient'],
  ['rcpt', '450 4.2.2 <jane@icloud.com>: user is overquota', 'l soft recipient'],
  [
    'dot',
    '554 5.7.1 [HM08] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137',
    'f blocked account',
  ],
  [
    'dot',
    '550 5.7.1 Your email was rejected due to having a domain present in the Spamhaus DBL -- see http://www.spamhaus.org/dbl/',
    'f blocked domain',
  ],
  ['mail', '550 5.7.0 Blocked - see https://support.proofpoint.com/dnsbl-lookup.cgi?ip=192.0.2.1', 'l blocked relay'],
  [
    'dot',
    "554 5.7.1 Your message was rejected due to sender.example's DMARC policy. See https://support.apple.com/en-us/HT204137 for info",
    'f blocked account',
  ],
  ['rcpt', '450 4.1.1 <jane@icloud.com>: Recipient address rejected: undeliverable address', 'l temporary recipient'],
];

const german: Line[] = [
  [
    'rcpt',
    '550 Requested action not taken: mailbox unavailable For explanation visit https://www.gmx.net/mail/senderguidelines?c=rcpt',
    'f hard recipient',
  ],
  [
    'connect',
    '554-gmx.net (mxgmx015) Nemesis ESMTP Service not available\n554-No SMTP service\n554-Bad DNS PTR resource record.\n554 For explanation visit http://postmaster.gmx.com/en/error-messages?ip=192.0.2.1&c=rdns',
    'l blocked relay',
  ],
  [
    'connect',
    '554-web.de (mxweb112) Nemesis ESMTP Service not available\n554-No SMTP service\n554-IP address is black listed.\n554 For explanation visit http://postmaster.web.de/',
    'l blocked relay',
  ],
  [
    'dot',
    '554-Transaction failed\n554-Reject due to policy restrictions.\n554 For explanation visit https://postmaster.gmx.net/de/case?c=hi&i=ip',
    'f blocked account',
  ],
  [
    'dot',
    '554-Transaction failed\n554-Unauthenticated sender address\n554 For explanation visit https://postmaster.gmx.net/',
    'f blocked account',
  ],
  [
    'rcpt',
    '450 Requested mail action not taken: mailbox unavailable For explanation visit https://postmaster.web.de/',
    'l temporary recipient',
  ],
  [
    'mail',
    '421 Rate limit reached. For explanation visit https://postmaster.gmx.net/error-messages?c=rl',
    'l temporary relay rate',
  ],
  [
    'rcpt',
    '552 Requested mail action aborted: exceeded storage allocation For explanation visit https://postmaster.gmx.net/',
    'f soft recipient',
  ],
  ['rcpt', '550 5.1.1 unknown user name - see https://postmaster.t-online.de/', 'f hard recipient off'],
  [
    'rcpt',
    '550-5.7.0 Message considered as spam or virus, rejected\n550 5.7.0 Nachricht wegen Spam oder Virus abgelehnt',
    'f blocked account',
  ],
  [
    'connect',
    '554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify.) (BL)',
    'l blocked relay',
  ],
  ['connect', '554 IP=192.0.2.1 - Dialup/transient IP not allowed. Use a mailgateway!', 'l blocked relay'],
  ['rcpt', '451 4.7.1 Greylisting in action, please try again later', 'l temporary recipient'],
  [
    'rcpt',
    '550 5.1.1 <jane@freenet.de>: Recipient address rejected: User unknown in virtual mailbox table',
    'f hard recipient off',
  ],
  [
    'rcpt',
    '452 4.2.2 <jane@freenet.de> Mailbox is full / Blocks limit exceeded / Inode limit exceeded',
    'l soft recipient',
  ],
  [
    'rcpt',
    '550 5.1.1 <jane@posteo.de>: Recipient address rejected: undeliverable address: user unknown',
    'f hard recipient off',
  ],
];

const russian: Line[] = [
  [
    'rcpt',
    '550 Message was not accepted -- invalid mailbox.  Local mailbox jane@mail.ru is unavailable: user not found',
    'f hard recipient off',
  ],
  [
    'rcpt',
    '550 Message was not accepted -- invalid mailbox.  Local mailbox jane@mail.ru is unavailable: account is disabled',
    'f hard recipient off',
  ],
  [
    'dot',
    '550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id?c=abc or report details to abuse@corp.mail.ru. Error code: ABC',
    'f blocked account',
  ],
  ['rcpt', '550 Mailbox limit exceeded: mailbox is full', 'f soft recipient'],
  ['rcpt', '451 Ratelimit exceeded for mailbox jane@mail.ru. Try again later.', 'l temporary domain'],
  ['rcpt', '550 5.7.1 No such user!', 'f hard recipient off'],
  ['dot', '554 5.7.1 [2] Message rejected under suspicion of SPAM; https://ya.cc/1IrBc', 'f blocked account'],
  [
    'dot',
    '554 5.7.1 [1] Message rejected under suspicion of SPAM; http://help.yandex.ru/mail/spam/honest-mailers.xml',
    'f blocked account',
  ],
  ['mail', '553 5.7.1 Sender address rejected: not owned by auth user.', 'l blocked account'],
  ['rcpt', '552 5.2.2 Mailbox size limit exceeded', 'f soft recipient'],
  ['dot', '451 4.7.1 Sorry, the service is currently unavailable. Please come back later.', 'l temporary domain'],
  ['auth', '535 5.7.8 Error: authentication failed: Invalid user or password!', 'l blocked relay'],
  ['rcpt', '550 5.7.1 Policy rejection on the target address', 'f blocked account'],
];

const filters: Line[] = [
  ['rcpt', '550 5.1.1 User Unknown (Proofpoint)', 'f hard recipient off'],
  ['connect', '554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1', 'l blocked relay'],
  ['mail', '554 5.7.1 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1', 'l blocked relay'],
  ['dot', '550 5.7.0 Local Policy Violation', 'f blocked account'],
  ['dot', '554 5.7.0 Message Size Violation', 'f soft recipient'],
  ['rcpt', '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550', 'f hard recipient off'],
  [
    'rcpt',
    '550 csi.mimecast.org Poor Reputation Sender. - https://community.mimecast.com/docs/DOC-1369#550',
    'f blocked domain',
  ],
  [
    'dot',
    '554 Email rejected due to security policies - https://community.mimecast.com/docs/DOC-1369#554',
    'f blocked account',
  ],
  [
    'dot',
    '550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550',
    'f blocked account',
  ],
  [
    'rcpt',
    '451 Internal resources are temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451',
    'l temporary domain',
  ],
  ['rcpt', '451 IP Temporarily Blacklisted - https://community.mimecast.com/docs/DOC-1369#451', 'l blocked domain'],
  ['dot', '550 permanent failure for one or more recipients (jane@x.example:blocked)', 'd generic recipient'],
  [
    'dot',
    '550 permanent failure for one or more recipients (jane@x.example:550 5.1.1 User unknown)',
    'f hard recipient off',
  ],
  [
    'rcpt',
    '550 Service unavailable; Client host [192.0.2.1] blocked by bl.barracudacentral.org; http://www.barracudanetworks.com/reputation/?pr=1&ip=192.0.2.1',
    'f blocked domain',
  ],
  ['dot', '550 rejected by Barracuda: content rejected as spam', 'f blocked account'],
  [
    'rcpt',
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1',
    'f blocked domain',
  ],
  [
    'rcpt',
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using bl.spamcop.net; Blocked - see https://www.spamcop.net/bl.shtml?192.0.2.1',
    'f blocked domain',
  ],
  ['dot', '554 rejected due to spam content (Cisco IronPort)', 'f blocked account'],
  [
    'connect',
    "554-mail.x.example\n554 Your access to this mail system has been rejected due to the sending MTA's poor reputation.",
    'l blocked relay',
  ],
  ['rcpt', '550 #5.1.0 Address rejected.', 'f hard recipient'],
  ['rcpt', '550 #5.7.1 Your access to submit messages to this e-mail system has been rejected.', 'f hard recipient'],
  ['rcpt', '550 5.7.1 Recipient verification failed: <jane@x.example> is not a valid mailbox', 'f hard recipient off'],
];

const servers: Line[] = [
  // Postfix
  [
    'rcpt',
    '550 5.1.1 <jane@x.example>: Recipient address rejected: User unknown in local recipient table',
    'f hard recipient off',
  ],
  [
    'rcpt',
    '550 5.1.1 <jane@x.example>: Recipient address rejected: User unknown in relay recipient table',
    'f hard recipient off',
  ],
  [
    'rcpt',
    '450 4.1.1 <jane@x.example>: Recipient address rejected: unverified address: Address verification in progress',
    'l temporary recipient',
  ],
  ['rcpt', '554 5.7.1 <jane@x.example>: Relay access denied', 'l blocked relay'],
  ['rcpt', '454 4.7.1 <jane@x.example>: Relay access denied', 'l blocked relay'],
  [
    'rcpt',
    '450 4.2.0 <jane@x.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/x.example.html',
    'l temporary recipient',
  ],
  ['mail', '450 4.1.8 <a@s.example>: Sender address rejected: Domain not found', 'l blocked account'],
  ['rcpt', '550 5.1.8 <a@s.example>: Sender address rejected: Domain not found', 'l blocked account'],
  ['rcpt', '450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]', 'l blocked domain'],
  ['rcpt', '450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]', 'l blocked account'],
  ['rcpt', '504 5.5.2 <client>: Helo command rejected: need fully-qualified hostname', 'f blocked domain'],
  ['rcpt', '554 5.7.1 <jane@x.example>: Recipient address rejected: Access denied', 'f blocked domain'],
  ['rcpt', '452 4.3.1 Insufficient system storage', 'l temporary relay'],
  ['mail', '552 5.3.4 Message size exceeds fixed limit', 'f soft recipient'],
  ['dot', '552 5.3.4 Error: message file too big', 'f soft recipient'],
  ['dot', '451 4.3.0 Error: queue file write error', 'l temporary domain'],
  ['rcpt', '451 4.3.5 Server configuration problem', 'l temporary domain'],
  ['connect', '421 4.7.0 mx.x.example Error: too many connections from 192.0.2.1', 'l temporary relay rate'],
  ['rcpt', '421 4.7.0 mx.x.example Error: too many errors', 'l temporary domain'],
  ['mail', '421 4.7.0 mx.x.example Error: too many errors', 'l temporary relay'],
  ['mail', '451 4.7.1 Service unavailable, try again later', 'l temporary relay'],
  ['rcpt', '450 4.7.1 Error: too much mail from 192.0.2.1', 'l temporary domain'],
  ['dot', '521 5.5.2 mx.x.example Error: bare <LF> received', 'd generic recipient'],
  [
    'rcpt',
    '556 5.1.10 <jane@x.example>: Recipient address rejected: Domain x.example does not accept mail (nullMX)',
    'f hard recipient off',
  ],
  ['rcpt', '550 5.1.2 <jane@x.example>: Recipient address rejected: Domain not found', 'f hard recipient off'],
  ['rcpt', '450 4.1.2 <jane@x.example>: Recipient address rejected: Domain not found', 'l temporary recipient'],
  ['data', '554 5.5.1 Error: no valid recipients', 'd generic recipient'],
  // Exim
  ['rcpt', '550 Unrouteable address', 'f hard recipient off'],
  ['rcpt', '550 relay not permitted', 'l blocked relay'],
  ['rcpt', '550 Sender verify failed', 'l blocked account'],
  [
    'rcpt',
    '550-Verification failed for <a@s.example>\n550-The mail server could not deliver mail to a@s.example.\n550 Sender verify failed',
    'l blocked account',
  ],
  ['rcpt', '451 Temporary local problem - please try later', 'l temporary recipient'],
  ['rcpt', '451 Could not complete sender verify callout', 'l temporary recipient'],
  ['rcpt', '550 Administrative prohibition', 'f blocked account'],
  [
    'rcpt',
    '550-Please turn on SMTP Authentication in your mail client\n550 relay not permitted, authentication required',
    'l blocked relay',
  ],
  ['dot', '552 Message size exceeds maximum permitted', 'f soft recipient'],
  ['rcpt', '550 No Such User Here', 'f hard recipient off'],
  ['rcpt', '550 No such person at this address', 'f hard recipient off'],
  ['rcpt', '452 space shortage, please try later', 'l temporary recipient'],
  ['dot', '550 This message was classified as SPAM and may not be delivered', 'f blocked account'],
  // Sendmail
  ['rcpt', '550 5.1.1 <jane@x.example>... User unknown', 'f hard recipient off'],
  ['rcpt', '550 5.7.1 <jane@x.example>... Relaying denied. Proper authentication required.', 'l blocked relay'],
  ['mail', '553 5.1.8 <a@s.example>... Domain of sender address a@s.example does not exist', 'l blocked account'],
  ['mail', '451 4.1.8 Domain of sender address a@s.example does not resolve', 'l blocked account'],
  ['rcpt', '451 4.7.1 Greylisting in action, please come back in 00:05:00', 'l temporary recipient'],
  ['rcpt', '550 5.2.1 <jane@x.example>... Mailbox disabled for this recipient', 'f hard recipient off'],
  ['rcpt', '421 4.3.2 Connection rate limit exceeded.', 'l temporary domain'],
  ['mail', '452 4.4.5 Insufficient disk space; try again later', 'l temporary relay'],
  // qmail, Courier, Dovecot, Domino, Zimbra and others
  ['rcpt', "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", 'l blocked relay'],
  ['rcpt', '550 sorry, no mailbox here by that name. (#5.1.1)', 'f hard recipient off'],
  ['rcpt', '511 sorry, no mailbox here by that name (#5.1.1 - chkuser)', 'f hard recipient off'],
  ['dot', '552 sorry, that message size exceeds my databytes limit (#5.3.4)', 'f soft recipient'],
  ['rcpt', '451 qq temporary problem (#4.3.0)', 'l temporary domain'],
  ['rcpt', '550 User unknown', 'f hard recipient off'],
  ['rcpt', "550 5.1.1 <jane@x.example> User doesn't exist: jane@x.example", 'f hard recipient off'],
  ['rcpt', '552 5.2.2 <jane@x.example> Quota exceeded (mailbox for user is full)', 'f soft recipient'],
  ['rcpt', '550 jane@x.example... No such user', 'f hard recipient off'],
  ['rcpt', '550 jane@x.example is not listed in public Name & Address Book', 'f hard recipient off'],
  ['rcpt', '554 5.1.1 Mailbox does not exist', 'f hard recipient off'],
  ['rcpt', '550 Mailbox quota exceeded', 'f soft recipient'],
  ['rcpt', '551 not our customer', 'f hard recipient off'],
  ['rcpt', '550 Not accepted', 'd generic recipient'],
  ['rcpt', '554 Go away', 'd generic recipient'],
  ['dot', '554 Transaction failed', 'd generic recipient'],
  ['dot', '451 please try again later', 'l temporary recipient'],
  ['rcpt', '421 Service not available, closing transmission channel', 'l temporary domain'],
  ['mail', '421 Service not available, closing transmission channel', 'l temporary relay'],
  ['mail', '550 Requested action not taken', 'd blocked account'],
  ['data', '503 Bad sequence of commands', 'd generic recipient'],
];

const relays: Line[] = [
  ['mail', '454 Throttling failure: Maximum sending rate exceeded.', 'l temporary relay rate'],
  ['mail', '454 Throttling failure: Daily message quota exceeded.', 'l temporary relay quota'],
  [
    'dot',
    '554 Message rejected: Email address is not verified. The following identities failed the check in region EU-WEST-1: news@sender.example',
    'l blocked account',
  ],
  ['dot', '554 Message rejected: Sending suspended for this account.', 'l blocked relay'],
  ['auth', '535 Authentication Credentials Invalid', 'l blocked relay'],
  ['auth', '454 4.7.0 Temporary authentication failure', 'l temporary relay'],
  ['mail', '451 Authentication failed: Maximum credits exceeded', 'l temporary relay quota'],
  [
    'dot',
    '550 The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved.',
    'l blocked account',
  ],
  ['ehlo', '554 5.7.1 you are not welcome', 'l blocked relay'],
  ['starttls', '454 4.7.0 TLS not available due to local problem', 'l temporary relay'],
  ['mail', '538 5.7.11 Encryption required for requested authentication mechanism', 'l blocked relay'],
];

/** What a relay takes no more of, and what a receiving domain or mailbox takes no more of. */
const limits: Line[] = [
  [
    'mail',
    '421 Connection closed by server. Maximum message count per session reached. Reopen the connection to send more.',
    'l temporary relay session',
  ],
  ['data', '452 4.4.5 Maximum number of messages per session exceeded.', 'l temporary relay session'],
  ['mail', '421 too many messages in this connection', 'l temporary relay session'],
  ['rcpt', '421 4.7.0 Too many messages for this session', 'l temporary relay session'],
  ['dot', '451 4.5.0 Message limit per connection reached', 'l temporary relay session'],
  ['mail', '421 Exceeded allowable connection time, disconnecting.', 'l temporary relay session'],
  ['rcpt', '421 4.4.2 You have reached the limit of 100 messages for one connection', 'l temporary relay session'],
  ['rcpt', '450 4.7.1 Error: too many recipients from unknown[192.0.2.1]', 'l temporary relay rate'],
  ['dot', '454 Throttling failure: Maximum sending rate exceeded.', 'l temporary relay rate'],
  ['rcpt', '454 Throttling failure: Maximum sending rate exceeded.', 'l temporary relay rate'],
  [
    'mail',
    '421 4.4.2 Message submission rate for this client has exceeded the configured limit',
    'l temporary relay rate',
  ],
  [
    'dot',
    '432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded [Hostname=AM0PR01.eurprd01.prod.outlook.com]',
    'l temporary relay rate',
  ],
  ['auth', '454 4.7.0 Too many login attempts, please try again later.', 'l temporary relay rate'],
  ['dot', '454 Throttling failure: Daily message quota exceeded.', 'l temporary relay quota'],
  [
    'dot',
    '550 5.4.5 Daily SMTP relay limit exceeded for customer. For more information on SMTP relay sending limits go to - gsmtp',
    'l temporary relay quota',
  ],
  [
    'rcpt',
    '550 Domain sender.example has exceeded the max emails per hour (150/150 (100%)) allowed. Message discarded.',
    'l temporary relay quota',
  ],
  [
    'dot',
    '554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; Failed to process message due to a permanent exception with message The message cannot be submitted because the submission quota was exceeded.',
    'l temporary relay quota',
  ],
  ['dot', '550 5.7.705 Access denied, tenant has exceeded threshold.', 'l temporary relay quota'],
  ['rcpt', '550 5.5.0 RecipientRateExceeded', 'l temporary relay quota'],
  ['dot', '452 4.2.2 You have exceeded your monthly sending limit', 'l temporary relay quota'],
  ['rcpt', '451 4.7.1 Sender quota exceeded', 'l temporary relay quota'],
  ['rcpt', '450 4.7.1 Mail quota for this account exceeded. Try again tomorrow', 'l temporary relay quota'],
  ['rcpt', '451 4.7.1 Too many messages from your IP address [192.0.2.1] in the last hour', 'l temporary domain'],
  [
    'rcpt',
    '550 5.2.121 The recipient has exceeded their limit for the number of messages they can receive per hour.',
    'l temporary recipient',
  ],
  ['rcpt', '421 4.7.0 Too many connections from your host', 'l temporary domain'],
  ['rcpt', '552 5.2.2 The mailbox has exceeded its daily quota', 'f soft recipient'],
];

/** Codes of RFC 5321, RFC 3463 and their registries, without words that would decide first. */
const codes: Line[] = [
  ['rcpt', '550 5.1.4 Go away', 'd generic recipient'],
  ['rcpt', '450 4.1.4 Go away', 'l generic recipient'],
  ['rcpt', '550 5.1.7 Go away', 'd blocked account'],
  ['rcpt', '550 5.2.9 Go away', 'd generic recipient'],
  ['rcpt', '550 5.2.3 Go away', 'f soft recipient'],
  ['rcpt', '452 4.3.1 Go away', 'l temporary relay'],
  ['rcpt', '451 4.3.9 Go away', 'l temporary domain'],
  ['rcpt', '550 5.3.1 Go away', 'd generic recipient'],
  ['rcpt', '550 5.4.4 Host unknown', 'f hard recipient off'],
  ['rcpt', '550 5.4.4 No such route to the host', 'f hard recipient'],
  ['rcpt', '550 5.1.1 zq says no', 'd generic recipient'],
  ['rcpt', '550 5.4.4 Go away', 'd generic recipient'],
  ['rcpt', '451 4.4.1 Go away', 'l temporary domain'],
  ['rcpt', '550 5.4.7 Go away', 'f temporary recipient'],
  ['rcpt', '550 5.4.6 Go away', 'd generic recipient'],
  ['rcpt', '452 4.5.3 Go away', 'l temporary relay'],
  ['rcpt', '451 4.5.1 Go away', 'l temporary recipient'],
  ['rcpt', '451 4.6.1 Go away', 'l temporary recipient'],
  ['rcpt', '550 5.5.1 Go away', 'd generic recipient'],
  ['rcpt', '550 5.6.1 Go away', 'd generic recipient'],
  ['rcpt', '550 5.7.20 Go away', 'd blocked account'],
  ['rcpt', '550 5.7.30 Go away', 'd blocked account'],
  ['rcpt', '550 5.7.9 Go away', 'l blocked relay'],
  ['rcpt', '450 4.7.28 Go away', 'l temporary domain'],
  ['rcpt', '450 4.7.5 Go away', 'l blocked domain'],
  ['rcpt', '550 5.7.5 Go away', 'd blocked domain'],
  ['dot', '421 Go away', 'l temporary domain'],
  ['rcpt', '450 Go away', 'l temporary recipient'],
  ['rcpt', '454 Go away', 'l temporary relay'],
  ['rcpt', '471 Go away', 'l temporary recipient'],
  ['rcpt', '535 Go away', 'l blocked relay'],
  ['rcpt', '521 Host does not accept mail', 'f hard recipient off'],
  ['rcpt', '521 Go away', 'd generic recipient'],
  ['dot', '521 Go away', 'd generic recipient'],
  ['rcpt', '551 User not local', 'f hard recipient off'],
  ['rcpt', '551 Go away', 'd generic recipient'],
  ['dot', '551 Go away', 'd generic recipient'],
  ['rcpt', '553 Go away', 'd generic recipient'],
  ['dot', '553 Go away', 'd generic recipient'],
  ['rcpt', '552 Go away', 'f soft recipient'],
  ['rcpt', '554 No SMTP service here', 'f blocked domain'],
  // "Mailbox unavailable" alone is also how servers word a policy.
  ['rcpt', '550 Requested action not taken: mailbox unavailable', 'f hard recipient'],
  ['rcpt', '550 5.5.0 Requested action not taken: mailbox unavailable', 'f hard recipient'],
  ['dot', '550 5.0.0 Mailbox is not available', 'f hard recipient'],
  ['rcpt', '550 5.1.1 Mailbox unavailable', 'f hard recipient off'],
  ['rcpt', '550 5.2.1 Mailbox unavailable', 'f hard recipient off'],
  ['rcpt', '550 Mailbox unavailable: no such user', 'f hard recipient off'],
  ['rcpt', '550 5.7.1 Mailbox unavailable', 'd blocked domain'],
  // Words with codes and at steps where servers rarely use them.
  ['rcpt', '550 Malformed or unexpected name server reply', 'l temporary domain'],
  ['rcpt', '550 Too many connections', 'l temporary domain'],
  ['rcpt', '550 Greylisted', 'l temporary recipient'],
  ['data', '550 No such user', 'f hard recipient off'],
  ['dot', '550 No such user', 'f hard recipient off'],
];

const tables = { gmail, microsoft, yahooAndAol, iCloud, german, russian, filters, servers, relays };

function outcomeOf(stage: Stage, wire: string): Outcome {
  let outcome: Outcome | undefined;
  const flaw = new ReplyReader().push(Buffer.from(`${wire.replaceAll('\n', '\r\n')}\r\n`), (reply) => {
    outcome = replied(reply, stage, stage === 'dot');
    return true;
  });
  assert.equal(flaw, undefined);
  return outcome!;
}

function inShort(outcome: Outcome): string {
  const got = verdict(outcome);
  if (got.kind === 'later')
    return `${got.isDoubtful ? 'd' : 'l'} ${got.bounce} ${got.scope}${got.limit ? ` ${got.limit}` : ''}`;
  if (got.kind === 'failed') return `f ${got.bounce} ${got.scope}${got.suppress ? ' off' : ''}`;
  return got.kind;
}

for (const [name, lines] of Object.entries({ ...tables, limits, codes }))
  test(`F22 the replies of ${name} mean what they are documented to mean`, () => {
    const wrong = lines
      .map(([stage, reply, means]) => ({ stage, reply, means, got: inShort(outcomeOf(stage, reply)) }))
      .filter(({ means, got }) => means !== got);
    assert.deepEqual(wrong, []);
  });

test('the tables have at least 150 replies, none twice', () => {
  const all = Object.values(tables).flat();
  assert.ok(all.length >= 150, `${all.length}`);
  assert.equal(new Set(all.map(([stage, reply]) => `${stage} ${reply}`)).size, all.length);
});

test('F26 a connection lost after the final dot is unclear, however it was lost', () => {
  for (const why of ['closed', 'reset', 'timeout', 'tls', 'garbage', 'too_long'] as const)
    assert.equal(inShort({ kind: 'lost', stage: 'dot', dotted: true, why, text: '' }), 'unclear');
});

test('F25 a connection lost before the final dot is retried, and counts against the relay unless one message was cut off', () => {
  const lost = (stage: Stage, why: 'closed' | 'reset' | 'timeout' | 'tls' | 'garbage') =>
    inShort({ kind: 'lost', stage, dotted: false, why, text: '' });
  assert.equal(lost('connect', 'closed'), 'l temporary relay');
  assert.equal(lost('starttls', 'tls'), 'l temporary relay');
  assert.equal(lost('mail', 'timeout'), 'l temporary relay');
  assert.equal(lost('data', 'garbage'), 'l temporary relay');
  assert.equal(lost('data', 'reset'), 'l temporary recipient');
  assert.equal(lost('rcpt', 'closed'), 'l temporary recipient');
});

test('a message that was not sent, or never started, is not an attempt', () => {
  assert.equal(inShort({ kind: 'notSent' }), 'notSent');
  assert.equal(
    inShort({ kind: 'lost', stage: 'mail', dotted: false, why: 'closed', text: '', untried: true }),
    'notSent',
  );
});

test('F33 what the client refuses itself fails without suppressing the address, unless the address is invalid', () => {
  const local = (stage: Stage, code: number, enhanced: string, text: string) =>
    inShort({ kind: 'reply', stage, code, enhanced, text, dotted: false, local: true });
  assert.equal(local('mail', 552, '5.3.4', 'the message has 9 octets, the server takes 5'), 'f blocked account');
  assert.equal(
    local('rcpt', 553, '5.6.7', 'the address or message needs SMTPUTF8, which the server does not offer'),
    'f generic recipient',
  );
  assert.equal(local('rcpt', 501, '5.1.3', 'the recipient address is not usable'), 'f hard recipient off');
  assert.equal(local('mail', 501, '5.1.7', 'the sender address is not usable'), 'f blocked account');
  assert.equal(local('auth', 538, '5.7.11', 'the password is not sent without TLS'), 'l blocked relay');
});

test('F21 F22 no 4yz fails, no 4yz or relay problem suppresses an address, and no text makes a 5yz accepted', () => {
  const phrases = Object.values(tables)
    .flat()
    .map(([, reply]) => reply.replaceAll('\n', ' ').slice(4));
  const stages: Stage[] = ['connect', 'ehlo', 'starttls', 'auth', 'mail', 'rcpt', 'data', 'dot'];
  fc.assert(
    fc.property(
      fc.constantFrom(...stages),
      fc.integer({ min: 400, max: 599 }),
      fc.oneof(fc.constantFrom(...phrases), fc.string()),
      (stage, code, text) => {
        const got = verdict({ kind: 'reply', stage, code, text, dotted: stage === 'dot' });
        assert.ok(got.kind === 'later' || got.kind === 'failed');
        if (code < 500) assert.equal(got.kind, 'later');
        if (got.scope === 'relay') assert.equal(got.kind, 'later');
        if (got.kind === 'later' && got.limit) assert.deepEqual([got.scope, got.bounce], ['relay', 'temporary']);
        if (got.kind === 'later' && got.isDoubtful) assert.ok(code >= 500 && got.limit === undefined);
        if (got.kind === 'later') assert.notEqual(got.bounce, 'hard');
        else if (got.suppress) {
          assert.deepEqual([got.bounce, got.scope], ['hard', 'recipient']);
          assert.ok(stage === 'rcpt' || stage === 'data' || stage === 'dot');
        }
      },
    ),
    { numRuns: runs(2000) },
  );
});

test('a notice that quotes a reply suppresses no address that the reply itself would not, whatever status it adds', () => {
  const lines = Object.values(tables).flat();
  const permanent = lines.filter(([stage, reply]) => stage === 'rcpt' && reply.startsWith('5'));
  assert.ok(permanent.length > 50, String(permanent.length));
  for (const [, reply, means] of permanent) {
    const words = reply.replace(/\n\d{3}[ -]([245]\.\d{1,3}\.\d{1,3} )?/g, ' ');
    for (const status of ['', statusIn(words), '5.0.0', '5.1.0', '5.1.1', '5.1.2', '5.1.3', '5.2.1', '5.4.4']) {
      const found = bounceClass(status, words);
      // Without a reason in the text or the code of the reply, the status that the notice adds is all there is.
      const bare = /^[fd] (hard|generic) recipient$/.test(means);
      if (found === 'hard') assert.ok(means.endsWith(' off') || bare, `${status} ${words}: ${found}, ${means}`);
      if (means.endsWith(' off') && status === statusIn(words)) assert.equal(found, 'hard', `${status} ${words}`);
    }
  }
});

const replyAt = (stage: Stage, code: number, text: string, more: object = {}) =>
  ({ kind: 'reply', stage, code, text, dotted: stage === 'dot', ...more }) as const;

test('refusals in other languages mean the same after each step that names the recipient, and nothing of it before', () => {
  const inStages = (stages: Stage[], text: string) =>
    new Set(stages.map((stage) => inShort(replyAt(stage, 550, text) as Outcome)));
  const toRecipient: Stage[] = ['rcpt', 'data', 'dot'];
  assert.deepEqual([...inStages(toRecipient, 'Postfach voll')], ['f soft recipient']);
  assert.deepEqual([...inStages(toRecipient, 'Empfänger unbekannt')], ['f hard recipient off']);
  assert.deepEqual([...inStages(toRecipient, 'Empfänger: Konto gesperrt')], ['d generic recipient']);
  assert.deepEqual([...inStages(toRecipient, 'Le destinataire: compte bloqué')], ['d generic recipient']);
  assert.deepEqual([...inStages(['mail'], '您的账号已被停用')], ['l blocked relay']);
  for (const text of ['Postfach voll', 'Empfänger unbekannt', 'Empfänger: Konto gesperrt'])
    assert.deepEqual([...inStages(['mail'], text)], ['d blocked account'], text);
  for (const text of ['Postfach existiert nicht, Absender abgelehnt', 'Absender unbekannt'])
    assert.ok(![...inStages(toRecipient, text)].some((means) => means.endsWith('off')), text);
});

test('too many messages are too many for someone once a recipient was named', () => {
  const text = 'too many messages';
  assert.equal(isTooFastForSomeone(replyAt('rcpt', 450, text)), true);
  assert.equal(isTooFastForSomeone(replyAt('mail', 450, text)), false);
  assert.equal(isTooFastForSomeone(replyAt('rcpt', 450, 'mailbox full')), false);
});

test('a deferral in unknown words is one that names no mailbox, no next server and no sender', () => {
  const isUnknown = (stage: Stage, code: number, text = 'hmm', more: object = {}) =>
    isUnknownDeferral(replyAt(stage, code, text, more));
  for (const stage of ['rcpt', 'data', 'dot'] as const)
    for (const code of [400, 450, 499]) assert.equal(isUnknown(stage, code), true, `${stage} ${code}`);
  for (const stage of ['connect', 'ehlo', 'auth', 'mail'] as const) assert.equal(isUnknown(stage, 450), false, stage);
  for (const code of [399, 500, 550]) assert.equal(isUnknown('rcpt', code), false, `${code}`);
  for (const enhanced of ['4.1.0', '4.2.0', '4.4.1']) assert.equal(isUnknown('rcpt', 450, 'hmm', { enhanced }), false);
  for (const enhanced of ['4.3.0', '4.0.0']) assert.equal(isUnknown('rcpt', 450, 'hmm', { enhanced }), true, enhanced);
  for (const text of ['connect to mx refused', 'mailbox full', 'sender verification', 'ask a@b.example'])
    assert.equal(isUnknown('rcpt', 450, text), false, text);
  assert.equal(isUnknown('rcpt', 450, 'hmm', { local: true }), false);
});
