// Contact exports in the layouts of other providers. All contacts are our own; headings and words are those of the
// systems named. Each file says what its contacts must be after an import with the proposed mapping.

import { furtherExports, type ProviderExport } from './further-exports.ts';
import { moreExports } from './more-exports.ts';

const lines = (...rows: string[]) => `${rows.join('\r\n')}\r\n`;

export const providerExports: ProviderExport[] = [
  {
    name: 'Mailchimp, subscribed',
    content: lines(
      '"Email Address","First Name","Last Name",MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LAST_CHANGED,LEID,EUID,NOTES,TAGS',
      'ann@mc.example,Ann,Lee,4,"2021-03-04 05:06:07",192.0.2.7,"2021-03-04 05:08:00",192.0.2.7,52.5,"2023-01-02 03:04:05",101,abc123,,"""vip"""',
    ),
    statuses: { 'ann@mc.example': 'subscribed' },
  },
  {
    name: 'Mailchimp, unsubscribed',
    content: lines(
      '"Email Address","First Name","Last Name",MEMBER_RATING,OPTIN_TIME,OPTIN_IP,UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_CAMPAIGN_ID,UNSUB_REASON,UNSUB_REASON_OTHER,LEID,EUID',
      'left@mc.example,Lou,Left,2,"2021-03-04 05:06:07",192.0.2.7,"2022-05-06 07:08:09",Spring,7,NORMAL,,102,abc124',
    ),
    statuses: { 'left@mc.example': 'unsubscribed' },
  },
  {
    name: 'Mailchimp, cleaned',
    content: lines(
      '"Email Address","First Name",MEMBER_RATING,OPTIN_TIME,CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID,LEID',
      'dead@mc.example,Dee,1,"2021-03-04 05:06:07","2022-05-06 07:08:09",Spring,7,103',
    ),
    statuses: { 'dead@mc.example': 'bounced' },
  },
  {
    name: 'HubSpot',
    content: lines(
      '"Record ID","First Name","Last Name","Email","Lifecycle Stage","Unsubscribed from all email","Opted out of email: Marketing Information","Email hard bounce reason","State/Region"',
      '1,Ann,Lee,ann@hs.example,lead,,,,CA',
      '2,Lou,Left,left@hs.example,lead,Yes,,,NY',
      '3,Opt,Out,opted@hs.example,lead,No,Yes,,NY',
      '4,Dee,Dead,dead@hs.example,lead,No,No,UNKNOWN_USER,TX',
      '5,Bo,Stays,bo@hs.example,lead,false,false,,TX',
    ),
    statuses: {
      'ann@hs.example': 'subscribed',
      'left@hs.example': 'unsubscribed',
      'opted@hs.example': 'unsubscribed',
      'dead@hs.example': 'bounced',
      'bo@hs.example': 'subscribed',
    },
  },
  {
    name: 'Klaviyo',
    content: lines(
      'Email,"Klaviyo ID","First Name","Last Name",Organization,Country,"Email Marketing Consent","Email Marketing Consent Timestamp","Email Suppressions","First Active","Last Active"',
      'ann@kl.example,01A,Ann,Lee,,DE,SUBSCRIBED,"2023-01-02 03:04:05",[],"2023-01-02","2024-01-02"',
      'left@kl.example,01B,Lou,Left,,DE,UNSUBSCRIBED,"2023-01-02 03:04:05",[],"2023-01-02","2024-01-02"',
      'never@kl.example,01C,Nev,Er,,DE,NEVER_SUBSCRIBED,,[],"2023-01-02","2024-01-02"',
      'supp@kl.example,01D,Su,Pp,,DE,SUBSCRIBED,"2023-01-02 03:04:05",[USER_SUPPRESSED],"2023-01-02","2024-01-02"',
    ),
    statuses: {
      'ann@kl.example': 'subscribed',
      'left@kl.example': 'unsubscribed',
      'never@kl.example': 'unsubscribed',
      'supp@kl.example': 'unsubscribed',
    },
  },
  {
    name: 'Brevo',
    content: lines(
      'CONTACT ID;EMAIL;FIRSTNAME;LASTNAME;SMS;BLACKLISTED;ADDED_TIME;MODIFIED_TIME',
      '1;ann@br.example;Ann;Lee;;0;04-03-2021;04-03-2021',
      '2;left@br.example;Lou;Left;;1;04-03-2021;04-03-2021',
    ),
    statuses: { 'ann@br.example': 'subscribed', 'left@br.example': 'unsubscribed' },
  },
  {
    name: 'CleverReach',
    content: lines(
      '"E-Mail";"Aktiviert";"Registriert";"Deaktiviert";"Bounced";"Quelle";"Vorname"',
      '"ann@cr.example";"2021-03-04 05:06:07";"2021-03-04 05:06:07";"";"";"Formular";"Ann"',
      '"left@cr.example";"2021-03-04 05:06:07";"2021-03-04 05:06:07";"2022-05-06 07:08:09";"";"Formular";"Lou"',
      '"dead@cr.example";"2021-03-04 05:06:07";"2021-03-04 05:06:07";"";"2022-05-06 07:08:09";"Formular";"Dee"',
      '"zero@cr.example";"2021-03-04 05:06:07";"2021-03-04 05:06:07";"0000-00-00 00:00:00";"0";"Formular";"Zoe"',
    ),
    statuses: {
      'ann@cr.example': 'subscribed',
      'left@cr.example': 'unsubscribed',
      'dead@cr.example': 'bounced',
      'zero@cr.example': 'subscribed',
    },
  },
  {
    name: 'Mautic',
    content: lines(
      'id,isPublished,dateAdded,email,firstname,lastname,points,stage,doNotContact',
      '1,1,"2021-03-04 05:06:07",ann@mt.example,Ann,Lee,5,,',
      '2,1,"2021-03-04 05:06:07",left@mt.example,Lou,Left,5,,"Unsubscribed"',
      '3,1,"2021-03-04 05:06:07",dnc@mt.example,Dan,C,5,,1',
    ),
    statuses: { 'ann@mt.example': 'subscribed', 'left@mt.example': 'unsubscribed', 'dnc@mt.example': 'unsubscribed' },
  },
  {
    name: 'phpList',
    content: lines(
      'id\temail\tconfirmed\tblacklisted\toptedin\tbouncecount\tentered\tmodified\tuniqid\thtmlemail\tdisabled\tName',
      '1\tann@pl.example\t1\t0\t0\t0\t2021-03-04 05:06:07\t2021-03-04\tu1\t1\t0\tAnn',
      '2\tleft@pl.example\t1\t1\t0\t0\t2021-03-04 05:06:07\t2021-03-04\tu2\t1\t0\tLou',
      '3\tnot@pl.example\t0\t0\t0\t0\t2021-03-04 05:06:07\t2021-03-04\tu3\t0\t0\tNot',
    ),
    statuses: { 'ann@pl.example': 'subscribed', 'left@pl.example': 'unsubscribed', 'not@pl.example': 'unsubscribed' },
  },
  {
    name: 'listmonk',
    content: lines(
      'uuid,email,name,attributes,status,created_at,updated_at',
      '8c1f,ann@lm.example,Ann Lee,"{""city"": ""Rome""}",enabled,2021-03-04T05:06:07Z,2021-03-04T05:06:07Z',
      '8c20,left@lm.example,Lou Left,{},blocklisted,2021-03-04T05:06:07Z,2021-03-04T05:06:07Z',
      '8c21,off@lm.example,Off,{},disabled,2021-03-04T05:06:07Z,2021-03-04T05:06:07Z',
    ),
    statuses: { 'ann@lm.example': 'subscribed', 'left@lm.example': 'unsubscribed', 'off@lm.example': 'unsubscribed' },
  },
  {
    name: 'Sendy',
    content: lines(
      'Name,Email,Joined,Status',
      'Ann,ann@sy.example,1614834367,Subscribed',
      'Lou,left@sy.example,1614834367,Unsubscribed',
      'Spa,spam@sy.example,1614834367,Marked as spam',
      'Dee,dead@sy.example,1614834367,Hard bounced',
      'Sof,soft@sy.example,1614834367,Soft bounced',
      'Pen,wait@sy.example,1614834367,Unconfirmed',
    ),
    statuses: {
      'ann@sy.example': 'subscribed',
      'left@sy.example': 'unsubscribed',
      'spam@sy.example': 'unsubscribed',
      'dead@sy.example': 'bounced',
      'soft@sy.example': 'bounced',
      'wait@sy.example': 'pending',
    },
  },
  {
    name: 'ConvertKit',
    content: lines(
      'id,first_name,email,state,created_at,tags',
      '1,Ann,ann@ck.example,active,2021-03-04T05:06:07Z,"a, b"',
      '2,Lou,left@ck.example,cancelled,2021-03-04T05:06:07Z,',
      '3,Dee,dead@ck.example,bounced,2021-03-04T05:06:07Z,',
      '4,Com,spam@ck.example,complained,2021-03-04T05:06:07Z,',
      '5,Ina,cold@ck.example,inactive,2021-03-04T05:06:07Z,',
    ),
    statuses: {
      'ann@ck.example': 'subscribed',
      'left@ck.example': 'unsubscribed',
      'dead@ck.example': 'bounced',
      'spam@ck.example': 'unsubscribed',
      'cold@ck.example': 'unsubscribed',
    },
  },
  {
    name: 'a shop with states of a country',
    content: lines(
      'Email,First Name,State,Accepts Email Marketing',
      'ann@sh.example,Ann,CA,yes',
      'left@sh.example,Lou,NY,no',
    ),
    statuses: { 'ann@sh.example': 'subscribed', 'left@sh.example': 'unsubscribed' },
  },
  {
    name: 'Postrider',
    content: lines(
      'EMAIL,FNAME,LNAME,STATUS,EMAIL_TYPE,LANGUAGE,TIMEZONE,OPTINIP,OPTINTIME,CONFIRM_IP,CONFIRM_TIME,SIGNUP_TIME,UNSUBSCRIBE_TIME,UNSUBSCRIBE_REASON',
      'ann@po.example,Ann,Lee,subscribed,html,en,,192.0.2.7,2021-03-04 05:06:07,,,2021-03-04 05:06:07,2020-01-01 00:00:00,x',
      'left@po.example,Lou,Left,unsubscribed,html,en,,192.0.2.7,2021-03-04 05:06:07,,,2021-03-04 05:06:07,2022-01-01 00:00:00,x',
    ),
    statuses: { 'ann@po.example': 'subscribed', 'left@po.example': 'unsubscribed' },
  },
  ...furtherExports,
  ...moreExports,
];
