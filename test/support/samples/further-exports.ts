// More contact exports in the layouts of other programs, as provider-exports.ts has them.
export interface ProviderExport {
  name: string;
  content: string;
  /** Status by address; contacts that are in no state to get email are never subscribed. */
  statuses: Record<string, 'subscribed' | 'unsubscribed' | 'pending' | 'bounced'>;
}

type Status = ProviderExport['statuses'][string];

const lines = (...rows: string[]) => `${rows.join('\r\n')}\r\n`;
/** Each address with its status. */
const all = (...pairs: [email: string, status: Status][]) => Object.fromEntries(pairs);

export const furtherExports: ProviderExport[] = [
  {
    name: 'Ghost',
    content: lines(
      'id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels,tiers',
      '6a,g1@example.com,Ann,,true,false,,2021-03-04T05:06:07.000Z,,VIP,',
      '6b,g2@example.com,Gil,,false,false,,2021-03-04T05:06:07.000Z,,,',
    ),
    statuses: all(['g1@example.com', 'subscribed'], ['g2@example.com', 'unsubscribed']),
  },
  {
    name: 'Substack',
    content: lines(
      'email,active_subscription,expiry,plan,email_disabled,created_at,first_payment_at',
      's1@example.com,false,,other,false,2021-03-04T05:06:07.000Z,',
      's2@example.com,true,2027-01-01T00:00:00.000Z,yearly,false,2021-03-04T05:06:07.000Z,2021-03-04T05:06:07.000Z',
      's3@example.com,false,,other,true,2021-03-04T05:06:07.000Z,',
    ),
    statuses: all(
      ['s1@example.com', 'subscribed'],
      ['s2@example.com', 'subscribed'],
      ['s3@example.com', 'unsubscribed'],
    ),
  },
  {
    name: 'Substack, with unsubscribed_at',
    content: lines(
      'email,name,created_at,subscription_type,unsubscribed_at',
      's4@example.com,Ann,2021-03-04T05:06:07.000Z,free,',
      's5@example.com,Lou,2021-03-04T05:06:07.000Z,free,2022-05-06T07:08:09.000Z',
    ),
    statuses: all(['s4@example.com', 'subscribed'], ['s5@example.com', 'unsubscribed']),
  },
  {
    name: 'MailPoet',
    content: lines(
      'Email,First name,Last name,List,Global status,List status',
      'mp1@example.com,Ann,Lee,News,Subscribed,Subscribed',
      'mp2@example.com,Lou,Lee,News,Unsubscribed,Subscribed',
      'mp3@example.com,Lou,Lee,News,Subscribed,Unsubscribed',
      'mp4@example.com,Dee,Lee,News,Bounced,Subscribed',
      'mp5@example.com,Pen,Lee,News,Unconfirmed,Subscribed',
      'mp6@example.com,Ina,Lee,News,Inactive,Subscribed',
    ),
    statuses: all(
      ['mp1@example.com', 'subscribed'],
      ['mp2@example.com', 'unsubscribed'],
      ['mp3@example.com', 'unsubscribed'],
      ['mp4@example.com', 'bounced'],
      ['mp5@example.com', 'pending'],
      ['mp6@example.com', 'unsubscribed'],
    ),
  },
  {
    name: 'Buttondown',
    content: lines(
      'id,email_address,type,source,creation_date,unsubscription_date,unsubscription_reason,notes,metadata,tags',
      'a1,bd1@example.com,regular,api,2021-03-04T05:06:07Z,,,,{},',
      'a2,bd2@example.com,unsubscribed,api,2021-03-04T05:06:07Z,2022-03-04T05:06:07Z,,,{},',
      'a3,bd3@example.com,complained,api,2021-03-04T05:06:07Z,,,,{},',
      'a4,bd4@example.com,undeliverable,api,2021-03-04T05:06:07Z,,,,{},',
      'a5,bd5@example.com,removed,api,2021-03-04T05:06:07Z,,,,{},',
      'a6,bd6@example.com,unactivated,api,2021-03-04T05:06:07Z,,,,{},',
      'a7,bd7@example.com,premium,api,2021-03-04T05:06:07Z,,,,{},',
      'a8,bd8@example.com,spammy,api,2021-03-04T05:06:07Z,,,,{},',
    ),
    statuses: all(
      ['bd1@example.com', 'subscribed'],
      ['bd2@example.com', 'unsubscribed'],
      ['bd3@example.com', 'unsubscribed'],
      ['bd4@example.com', 'bounced'],
      ['bd5@example.com', 'unsubscribed'],
      ['bd6@example.com', 'pending'],
      ['bd7@example.com', 'subscribed'],
      ['bd8@example.com', 'unsubscribed'],
    ),
  },
  {
    name: 'Constant Contact',
    content: lines(
      'Email address,First name,Last name,Email permission status,Email update source,Confirmed Opt-Out Date,Confirmed Opt-Out Source,Confirmed Opt-Out Reason',
      'cc1@example.com,Ann,Lee,Explicit,Upload,,,',
      'cc2@example.com,Bo,Lee,Implied,Upload,,,',
      'cc3@example.com,Lou,Lee,Unsubscribed,Upload,2022-05-06 07:08:09,Contact,Too many emails',
      'cc4@example.com,Tim,Lee,Temp Hold,Upload,,,',
      'cc5@example.com,Pen,Lee,Awaiting Confirmation,Upload,,,',
      'cc6@example.com,No,Lee,Not Set,Upload,,,',
    ),
    statuses: all(
      ['cc1@example.com', 'subscribed'],
      ['cc2@example.com', 'subscribed'],
      ['cc3@example.com', 'unsubscribed'],
      ['cc4@example.com', 'unsubscribed'],
      ['cc5@example.com', 'pending'],
      ['cc6@example.com', 'unsubscribed'],
    ),
  },
  {
    name: 'Brevo, as Sendinblue wrote it',
    content: lines(
      'EMAIL;NOM;PRENOM;SMS;EMAIL_BLACKLISTED;SMS_BLACKLISTED;DOUBLE_OPT-IN;OPT_IN',
      'sb1@example.com;Lee;Ann;;No;Yes;1;true',
      'sb2@example.com;Lee;Lou;;Yes;No;1;true',
    ),
    statuses: all(['sb1@example.com', 'subscribed'], ['sb2@example.com', 'unsubscribed']),
  },
  {
    name: 'MailerLite',
    content: lines(
      'Subscriber,Name,Last name,Status,Sent,Opens,Clicks,Subscribed,Location,Unsubscribed,Opted in',
      'ml1@example.com,Ann,Lee,Active,5,3,1,2021-03-04 05:06:07,Berlin,,2021-03-04 05:06:07',
      'ml2@example.com,Lou,Lee,Unsubscribed,5,3,1,2021-03-04 05:06:07,Berlin,2022-03-04 05:06:07,',
      'ml3@example.com,Dee,Lee,Bounced,5,3,1,2021-03-04 05:06:07,Berlin,,',
      'ml4@example.com,Jay,Lee,Junk,5,3,1,2021-03-04 05:06:07,Berlin,,',
      'ml5@example.com,Pen,Lee,Unconfirmed,5,3,1,2021-03-04 05:06:07,Berlin,,',
    ),
    statuses: all(
      ['ml1@example.com', 'subscribed'],
      ['ml2@example.com', 'unsubscribed'],
      ['ml3@example.com', 'bounced'],
      ['ml4@example.com', 'unsubscribed'],
      ['ml5@example.com', 'pending'],
    ),
  },
  {
    name: 'ActiveCampaign',
    content: lines(
      'Email,First Name,Last Name,Phone,Organization,Tags,Status,IP Address,Date Subscribed,Date Unsubscribed,Unsubscribe Reason',
      'ac1@example.com,Ann,Lee,,,,Active,192.0.2.1,2021-03-04 05:06:07,,',
      'ac2@example.com,Lou,Lee,,,,Unsubscribed,192.0.2.1,2021-03-04 05:06:07,2022-03-04 05:06:07,boring',
      'ac3@example.com,Dee,Lee,,,,Bounced,192.0.2.1,2021-03-04 05:06:07,,',
      'ac4@example.com,Pen,Lee,,,,Unconfirmed,192.0.2.1,2021-03-04 05:06:07,,',
    ),
    statuses: all(
      ['ac1@example.com', 'subscribed'],
      ['ac2@example.com', 'unsubscribed'],
      ['ac3@example.com', 'bounced'],
      ['ac4@example.com', 'pending'],
    ),
  },
  {
    name: 'Campaign Monitor',
    content: lines(
      'Email Address,Name,Date Added,Consent to track,State',
      'cm1@example.com,Ann,2021-03-04,Yes,Active',
      'cm2@example.com,Lou,2021-03-04,Yes,Unsubscribed',
      'cm3@example.com,Dee,2021-03-04,Yes,Bounced',
      'cm4@example.com,Del,2021-03-04,Yes,Deleted',
      'cm5@example.com,Pen,2021-03-04,Unspecified,Unconfirmed',
    ),
    statuses: all(
      ['cm1@example.com', 'subscribed'],
      ['cm2@example.com', 'unsubscribed'],
      ['cm3@example.com', 'bounced'],
      ['cm4@example.com', 'unsubscribed'],
      ['cm5@example.com', 'pending'],
    ),
  },
  {
    name: 'AWeber',
    content: lines(
      'Email,Name,Message,Date Added,IP Address,Status,Stop Time,Stop Status,Misc,Tags',
      'aw1@example.com,Ann,1001,03/24/21,192.0.2.1,subscribed,,,,',
      'aw2@example.com,Lou,1001,03/24/21,192.0.2.1,unsubscribed,05/24/22,unsubscribed,,',
      'aw3@example.com,Pen,1001,03/24/21,192.0.2.1,unconfirmed,,,,',
      'aw4@example.com,Dee,1001,03/24/21,192.0.2.1,undeliverable,05/24/22,undeliverable,,',
    ),
    statuses: all(
      ['aw1@example.com', 'subscribed'],
      ['aw2@example.com', 'unsubscribed'],
      ['aw3@example.com', 'pending'],
      ['aw4@example.com', 'bounced'],
    ),
  },
  {
    name: 'GetResponse',
    content: lines(
      'email,name,added_on,origin,ip_address,status,unsubscribed_on,unsubscribe_reason',
      'gr1@example.com,Ann,2021-03-04 05:06:07,www,192.0.2.1,active,,',
      'gr2@example.com,Lou,2021-03-04 05:06:07,www,192.0.2.1,removed,2022-03-04 05:06:07,user',
    ),
    statuses: all(['gr1@example.com', 'subscribed'], ['gr2@example.com', 'unsubscribed']),
  },
  {
    name: 'Zoho Campaigns',
    content: lines(
      'Contact Email,First Name,Last Name,Contact Status,Added Time,Email Opt Out,Unsubscribed Time',
      'zo1@example.com,Ann,Lee,Active,2021-03-04,false,',
      'zo2@example.com,Lou,Lee,Unsubscribed,2021-03-04,true,2022-03-04',
      'zo3@example.com,Dee,Lee,Bounce,2021-03-04,false,',
      'zo4@example.com,Do,Lee,Do-Not-Mail,2021-03-04,false,',
    ),
    statuses: all(
      ['zo1@example.com', 'subscribed'],
      ['zo2@example.com', 'unsubscribed'],
      ['zo3@example.com', 'bounced'],
      ['zo4@example.com', 'unsubscribed'],
    ),
  },
  {
    name: 'beehiiv',
    content: lines(
      'id,email,status,created_at,utm_source,referring_site,subscription_tier,unsubscribed_at,stripe_customer_id',
      'b1,be1@example.com,active,2021-03-04T05:06:07Z,,,free,,',
      'b2,be2@example.com,inactive,2021-03-04T05:06:07Z,,,free,2022-03-04T05:06:07Z,',
      'b3,be3@example.com,validating,2021-03-04T05:06:07Z,,,free,,',
      'b4,be4@example.com,pending,2021-03-04T05:06:07Z,,,free,,',
      'b5,be5@example.com,invalid,2021-03-04T05:06:07Z,,,free,,',
    ),
    statuses: all(
      ['be1@example.com', 'subscribed'],
      ['be2@example.com', 'unsubscribed'],
      ['be3@example.com', 'pending'],
      ['be4@example.com', 'pending'],
      ['be5@example.com', 'bounced'],
    ),
  },
  {
    name: 'rapidmail',
    content: lines(
      'E-Mail;Vorname;Nachname;Status;Erstellt;Aktiviert;Gelöscht;Bounces',
      'rm1@example.com;Ann;Lee;active;2021-03-04;2021-03-04;;0',
      'rm2@example.com;Lou;Lee;deleted;2021-03-04;2021-03-04;2022-03-04;0',
      'rm3@example.com;Dee;Lee;bounced;2021-03-04;2021-03-04;;3',
      'rm4@example.com;Abu;Lee;abused;2021-03-04;2021-03-04;;0',
      'rm5@example.com;Pen;Lee;new;2021-03-04;;;0',
    ),
    statuses: all(
      ['rm1@example.com', 'subscribed'],
      ['rm2@example.com', 'unsubscribed'],
      ['rm3@example.com', 'bounced'],
      ['rm4@example.com', 'unsubscribed'],
      ['rm5@example.com', 'pending'],
    ),
  },
  {
    name: 'Moosend',
    content: lines(
      'Email,Name,Mobile,Status,Subscribed On,Unsubscribed On,Subscribe Method',
      'mo1@example.com,Ann,,Subscribed,2021-03-04 05:06:07,,API',
      'mo2@example.com,Lou,,Unsubscribed,2021-03-04 05:06:07,2022-03-04 05:06:07,API',
      'mo3@example.com,Dee,,Bounced,2021-03-04 05:06:07,,API',
      'mo4@example.com,Rem,,Removed,2021-03-04 05:06:07,,API',
    ),
    statuses: all(
      ['mo1@example.com', 'subscribed'],
      ['mo2@example.com', 'unsubscribed'],
      ['mo3@example.com', 'bounced'],
      ['mo4@example.com', 'unsubscribed'],
    ),
  },
  {
    name: 'EmailOctopus',
    content: lines(
      'Email address,First name,Last name,Tags,Status,Created at,Last updated at',
      'eo1@example.com,Ann,Lee,,SUBSCRIBED,2021-03-04T05:06:07+00:00,2021-03-04T05:06:07+00:00',
      'eo2@example.com,Lou,Lee,,UNSUBSCRIBED,2021-03-04T05:06:07+00:00,2021-03-04T05:06:07+00:00',
      'eo3@example.com,Pen,Lee,,PENDING,2021-03-04T05:06:07+00:00,2021-03-04T05:06:07+00:00',
    ),
    statuses: all(
      ['eo1@example.com', 'subscribed'],
      ['eo2@example.com', 'unsubscribed'],
      ['eo3@example.com', 'pending'],
    ),
  },
  {
    name: 'Drip',
    content: lines(
      'id,email,status,eu_consent,ip_address,time_zone,created_at,lead_score,tags,first_name',
      'd1,dr1@example.com,active,granted,192.0.2.1,Europe/Berlin,2021-03-04T05:06:07Z,10,,Ann',
      'd2,dr2@example.com,unsubscribed,unknown,192.0.2.1,Europe/Berlin,2021-03-04T05:06:07Z,10,,Lou',
      'd3,dr3@example.com,active,denied,192.0.2.1,Europe/Berlin,2021-03-04T05:06:07Z,10,,Den',
      'd4,dr4@example.com,undeliverable,unknown,192.0.2.1,Europe/Berlin,2021-03-04T05:06:07Z,10,,Dee',
      'd5,dr5@example.com,active,unknown,192.0.2.1,Europe/Berlin,2021-03-04T05:06:07Z,10,,Unk',
    ),
    statuses: all(
      ['dr1@example.com', 'subscribed'],
      ['dr2@example.com', 'unsubscribed'],
      ['dr3@example.com', 'unsubscribed'],
      ['dr4@example.com', 'bounced'],
      ['dr5@example.com', 'subscribed'],
    ),
  },
  {
    name: 'Benchmark',
    content: lines(
      'Email,First Name,Last Name,Subscribed Date,Opt-In IP,Contact Status,Unsubscribe Date',
      'bm1@example.com,Ann,Lee,2021-03-04,192.0.2.1,Active,',
      'bm2@example.com,Lou,Lee,2021-03-04,192.0.2.1,Unsubscribed,2022-03-04',
      'bm3@example.com,Dee,Lee,2021-03-04,192.0.2.1,Hard Bounce,',
      'bm4@example.com,Pen,Lee,2021-03-04,192.0.2.1,Unconfirmed,',
    ),
    statuses: all(
      ['bm1@example.com', 'subscribed'],
      ['bm2@example.com', 'unsubscribed'],
      ['bm3@example.com', 'bounced'],
      ['bm4@example.com', 'pending'],
    ),
  },
  {
    name: 'Omnisend',
    content: lines(
      'Contact ID,Email,Phone number,First name,Email status,Email status date,SMS status,SMS status date,Tags',
      'o1,om1@example.com,,Ann,subscribed,2021-03-04,nonSubscribed,,',
      'o2,om2@example.com,,Lou,unsubscribed,2021-03-04,subscribed,2021-03-04,',
      'o3,om3@example.com,,Non,nonSubscribed,2021-03-04,nonSubscribed,,',
    ),
    statuses: all(
      ['om1@example.com', 'subscribed'],
      ['om2@example.com', 'unsubscribed'],
      ['om3@example.com', 'unsubscribed'],
    ),
  },
  {
    name: 'Listrak',
    content: lines(
      'Email Address,Subscription State,Subscribe Date,Unsubscribe Date,Unsubscribe Method,Additional Notes',
      'lk1@example.com,Subscribed,3/24/2021,,,',
      'lk2@example.com,Unsubscribed,3/24/2021,5/24/2022,Link,',
      'lk3@example.com,Removed,3/24/2021,5/24/2022,Admin,',
    ),
    statuses: all(
      ['lk1@example.com', 'subscribed'],
      ['lk2@example.com', 'unsubscribed'],
      ['lk3@example.com', 'unsubscribed'],
    ),
  },
  {
    name: 'Mailtrain',
    content: lines(
      'email,firstname,lastname,tz,status',
      'mt1@example.com,Ann,Lee,,subscribed',
      'mt2@example.com,Lou,Lee,,unsubscribed',
      'mt3@example.com,Com,Lee,,complained',
      'mt4@example.com,Dee,Lee,,bounced',
    ),
    statuses: all(
      ['mt1@example.com', 'subscribed'],
      ['mt2@example.com', 'unsubscribed'],
      ['mt3@example.com', 'unsubscribed'],
      ['mt4@example.com', 'bounced'],
    ),
  },
  {
    name: 'Keila',
    content: lines(
      'Email,First name,Last name,Data,Status,External ID',
      'ke1@example.com,Ann,Lee,,active,',
      'ke2@example.com,Lou,Lee,,unsubscribed,',
      'ke3@example.com,Dee,Lee,,unreachable,',
    ),
    statuses: all(
      ['ke1@example.com', 'subscribed'],
      ['ke2@example.com', 'unsubscribed'],
      ['ke3@example.com', 'bounced'],
    ),
  },
  {
    name: 'MailWizz',
    content: lines(
      'EMAIL,FNAME,LNAME,SUBSCRIBER_UID,STATUS,SOURCE,IP_ADDRESS,DATE_ADDED',
      'mw1@example.com,Ann,Lee,u1,confirmed,web,192.0.2.1,2021-03-04 05:06:07',
      'mw2@example.com,Lou,Lee,u2,unsubscribed,web,192.0.2.1,2021-03-04 05:06:07',
      'mw3@example.com,Pen,Lee,u3,unconfirmed,web,192.0.2.1,2021-03-04 05:06:07',
      'mw4@example.com,Bla,Lee,u4,blacklisted,web,192.0.2.1,2021-03-04 05:06:07',
      'mw5@example.com,Mov,Lee,u5,unapproved,web,192.0.2.1,2021-03-04 05:06:07',
    ),
    statuses: all(
      ['mw1@example.com', 'subscribed'],
      ['mw2@example.com', 'unsubscribed'],
      ['mw3@example.com', 'pending'],
      ['mw4@example.com', 'unsubscribed'],
      ['mw5@example.com', 'pending'],
    ),
  },
  {
    name: 'Shopify',
    content: lines(
      'Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Accepts SMS Marketing,Total Spent,Total Orders,Note,Tax Exempt,Tags',
      "'1,Ann,Lee,sh1@example.com,yes,,no,0.00,0,,no,",
      "'2,Lou,Lee,sh2@example.com,no,,yes,0.00,0,,no,",
    ),
    statuses: all(['sh1@example.com', 'subscribed'], ['sh2@example.com', 'unsubscribed']),
  },
  {
    name: 'Magento',
    content: lines(
      'ID,Email,Type,Customer First Name,Customer Last Name,Status,Web Site,Store,Store View',
      '1,ma1@example.com,Customer,Ann,Lee,Subscribed,Main,Main,Default',
      '2,ma2@example.com,Guest,Lou,Lee,Unsubscribed,Main,Main,Default',
      '3,ma3@example.com,Guest,Pen,Lee,Not Activated,Main,Main,Default',
      '4,ma4@example.com,Guest,Unc,Lee,Unconfirmed,Main,Main,Default',
    ),
    statuses: all(
      ['ma1@example.com', 'subscribed'],
      ['ma2@example.com', 'unsubscribed'],
      ['ma3@example.com', 'pending'],
      ['ma4@example.com', 'pending'],
    ),
  },
  {
    name: 'Mailjet',
    content: lines(
      'email,firstname,isExcludedFromCampaigns,isSpamComplaining,isUnsubscribed,createdAt',
      'mj1@example.com,Ann,false,false,false,2021-03-04T05:06:07Z',
      'mj2@example.com,Lou,false,false,true,2021-03-04T05:06:07Z',
      'mj3@example.com,Exc,true,false,false,2021-03-04T05:06:07Z',
      'mj4@example.com,Spa,false,true,false,2021-03-04T05:06:07Z',
    ),
    statuses: all(
      ['mj1@example.com', 'subscribed'],
      ['mj2@example.com', 'unsubscribed'],
      ['mj3@example.com', 'unsubscribed'],
      ['mj4@example.com', 'unsubscribed'],
    ),
  },
  {
    name: 'Mailcoach',
    content: lines(
      'email,first_name,last_name,tags,subscribed_at,unsubscribed_at',
      'mh1@example.com,Ann,Lee,,2021-03-04 05:06:07,',
      'mh2@example.com,Lou,Lee,,2021-03-04 05:06:07,2022-03-04 05:06:07',
    ),
    statuses: all(['mh1@example.com', 'subscribed'], ['mh2@example.com', 'unsubscribed']),
  },
  {
    name: 'Loops',
    content: lines(
      'email,firstName,lastName,source,subscribed,userGroup,userId,createdAt,optInStatus',
      'lo1@example.com,Ann,Lee,Form,true,,,2021-03-04T05:06:07Z,accepted',
      'lo2@example.com,Lou,Lee,Form,false,,,2021-03-04T05:06:07Z,',
      'lo3@example.com,Pen,Lee,Form,true,,,2021-03-04T05:06:07Z,pending',
      'lo4@example.com,Rej,Lee,Form,true,,,2021-03-04T05:06:07Z,rejected',
    ),
    statuses: all(
      ['lo1@example.com', 'subscribed'],
      ['lo2@example.com', 'unsubscribed'],
      ['lo3@example.com', 'pending'],
      ['lo4@example.com', 'unsubscribed'],
    ),
  },
  {
    name: 'Resend',
    content: lines(
      'id,email,first_name,last_name,created_at,unsubscribed',
      'r1,re1@example.com,Ann,Lee,2021-03-04 05:06:07,false',
      'r2,re2@example.com,Lou,Lee,2021-03-04 05:06:07,true',
    ),
    statuses: all(['re1@example.com', 'subscribed'], ['re2@example.com', 'unsubscribed']),
  },
  {
    name: 'Plunk',
    content: lines(
      'id,email,subscribed,createdAt',
      'p1,pk1@example.com,true,2021-03-04T05:06:07Z',
      'p2,pk2@example.com,false,2021-03-04T05:06:07Z',
    ),
    statuses: all(['pk1@example.com', 'subscribed'], ['pk2@example.com', 'unsubscribed']),
  },
  {
    name: 'Kit, its newer columns',
    content: lines(
      'first_name,email_address,state,created_at,tags,unsubscribed_at',
      'Ann,ki1@example.com,active,2021-03-04T05:06:07Z,,',
      'Lou,ki2@example.com,cancelled,2021-03-04T05:06:07Z,,2022-03-04T05:06:07Z',
    ),
    statuses: all(['ki1@example.com', 'subscribed'], ['ki2@example.com', 'unsubscribed']),
  },
];
