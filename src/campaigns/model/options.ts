// THE one place where the creation options of a campaign are defined: types, defaults, limits. campaignCreate reads them
// all together, campaignUpdate one by name, with the same types.
import { z } from 'zod';
import { languageAliases, languages } from '../../locales/text.ts';
import { named } from '../../method/named.ts';
import { arrayOf, boolean, filledLine, id, integer, line, oneOf, problem, struct, text } from '../../method/params.ts';

/** Code of the API → language tag (BCP 47), for each language there are texts in. */
export const languageCodes: Readonly<Record<string, string>> = Object.fromEntries(
  languages
    .map((tag) => [Object.keys(languageAliases).find((code) => languageAliases[code] === tag) ?? tag, tag])
    .sort(),
);

/** HTML at most, in characters. */
export const maxHtml = 2 * 1024 * 1024;
/** What a member may hold before it is looked at closely; the body limit of the doors is 32 MiB. */
const anySize = 32 * 1024 * 1024;

export const campaignType = oneOf(
  'HTML, plain or auto.',
  ['HTML', 'plain', 'auto'],
  { regular: 'HTML', 'plain text': 'plain', plaintext: 'plain', text: 'plain' },
  { fault: 'CAMPAIGN_OPTION_INVALID' },
);

/** The type as it is stored. */
export const typeColumn = (type: 'HTML' | 'plain' | 'auto') => (type === 'HTML' ? 'html' : type);

const tracking = named(
  'CampaignTracking',
  struct(
    'What is counted: opens (default true), html_clicks (default true), text_clicks (default false).',
    {
      opens: boolean('Whether opens are counted.').optional(),
      html_clicks: boolean('Whether clicks in the HTML part are counted.').optional(),
      text_clicks: boolean('Whether clicks in the plain text are counted.').optional(),
    },
    { fault: 'TRACKING_INVALID', selfFault: 'TRACKING_INVALID' },
  ),
);

const analytics = named(
  'CampaignAnalytics',
  struct(
    'Web analytics: parameters that are added to links of your sites (analytics_sites of accountUpdate), none of which replaces one that a link has. campaignUpdate sets all members.',
    {
      google: line('Name of the campaign in Google Analytics (utm_campaign).', 200).optional(),
      source: line('utm_source. Default: that of the account, newsletter at first.', 200).optional(),
      medium: line('utm_medium. Default: that of the account, email at first.', 200).optional(),
      term: line('utm_term.', 200).optional(),
      content: line('utm_content.', 200).optional(),
    },
    { fault: 'ANALYTICS_INVALID', selfFault: 'ANALYTICS_INVALID' },
  ),
);

export const autoUnits = ['day', 'week', 'month', 'year'] as const;
export const directions = ['before', 'after'] as const;
export const autoEvents = ['signup', 'date', 'annual'] as const;

export const typeOpts = struct(
  'Settings of an autoresponder.',
  {
    'offset-units': oneOf('Unit of the offset.', autoUnits, {
      days: 'day',
      weeks: 'week',
      months: 'month',
      years: 'year',
    }),
    'offset-time': integer('How many units; greater than 0.', 1, 10_000),
    'offset-dir': oneOf('before or after the event.', directions).default('after'),
    event: oneOf('What it counts from.', autoEvents).default('signup'),
    'event-datemerge': text('Tag of the date field; required when event is date or annual.', 100).optional(),
  },
  { fault: 'AUTORESPONDER_INVALID', selfFault: 'AUTORESPONDER_INVALID' },
);

const archiveType = oneOf('Kind of the archive.', ['zip', 'tar.gz', 'tar.bz2', 'tar', 'tgz', 'tbz']);

export const contentShape = {
  html: text('The HTML.', anySize).optional(),
  markdown: text(
    'Markdown, which is converted to HTML in the colours and font of the brand. Instead of html.',
    anySize,
  ).optional(),
  mjml: text('MJML, which is converted to HTML. Instead of html; mj-include is refused.', anySize).optional(),
  plain: text('The plain text.', anySize).optional(),
  url: text('Address the HTML is imported from, at the call.', 4_000).optional(),
  archive: z
    .union([z.string(), z.instanceof(Uint8Array)], problem('parameter.not_bytes'))
    .optional()
    .meta({
      description: 'A file in Base64 with the HTML and its images; overrides the other members.',
      xmlrpc: 'string',
    }),
  archive_type: archiveType.optional(),
  template_id: id('A template whose HTML is taken.').optional(),
};
export const content = struct('The content, in one of its alternatives.', contentShape, {
  fault: 'CONTENT_INVALID',
  selfFault: 'CONTENT_INVALID',
  aliases: { text: 'plain' },
});

const lists = arrayOf('One list id or several.', id('A list.'), 100);
const segments = arrayOf('Segments built on the given lists.', id('A segment.'), 100);

/** Type of each option; all optional here, campaignCreate requires four of them. */
export const optionTypes = {
  list_id: lists,
  segment_id: segments,
  exclude_list_id: arrayOf('Lists whose subscribed members are left out.', id('A list.'), 100),
  exclude_segment_id: arrayOf('Segments, of any list, whose members are left out.', id('A segment.'), 100),
  subject: filledLine('Subject line; may contain merge tags. Line breaks and tabs become spaces.', 1_000),
  preview_text: line(
    'Preview text: what an inbox shows after the subject; may contain merge tags. It takes the place of the one in the HTML. Default is the one in the HTML.',
    1_000,
  ),
  from_email: text('Reply-to address: where answers of recipients go.', 1_000),
  from_name: filledLine(
    'Sender name shown to recipients; may contain merge tags. Line breaks and tabs become spaces.',
    300,
  ),
  sender: text("Sender address. Default is the account's main address.", 1_000),
  to_email: line('Display name of the To header, with merge tags, such as *|FNAME|*.', 300),
  tracking,
  title: line('Name of the campaign; default is the subject without its merge tags.', 1_000),
  analytics,
  generate_text: boolean('Whether plain text is made from the HTML when none is given.'),
  auto_footer: boolean(
    'Whether the standard header (a link to the message in a browser) and footer (the sender, its address, a link to unsubscribe) are added. Without it, a part of the message that has no link to unsubscribe still gets the footer.',
  ),
  authenticate: boolean('Whether the messages are signed for an authenticated domain.'),
  inline_img: boolean('Whether images are embedded in the message.'),
  inline_css: boolean(
    'Whether the rules of <style> elements are copied into style attributes, for email programs that drop <style>.',
  ),
  time_match: boolean("Whether a scheduled campaign is delivered by each recipient's clock."),
  best_hour: boolean(
    'Whether each recipient gets it in the hour in which it usually opens, within 24 hours of the start; those who have opened fewer than 3 messages in 180 days get it at the start. campaignUpdate turns time_match off with it, and the other way round.',
  ),
  any_time: boolean("Whether it is sent outside the account's send window too."),
  ln: oneOf('Language of header and footer texts.', Object.keys(languageCodes)),
  template_id: id('A template whose HTML is taken.'),
};

export const options = struct(
  'The options.',
  {
    ...optionTypes,
    segment_id: optionTypes.segment_id.optional(),
    exclude_list_id: optionTypes.exclude_list_id.optional(),
    exclude_segment_id: optionTypes.exclude_segment_id.optional(),
    preview_text: optionTypes.preview_text.optional(),
    sender: optionTypes.sender.optional(),
    to_email: optionTypes.to_email.optional(),
    tracking: tracking.optional(),
    title: optionTypes.title.optional(),
    analytics: analytics.optional(),
    generate_text: optionTypes.generate_text.default(false),
    auto_footer: optionTypes.auto_footer.optional(),
    authenticate: optionTypes.authenticate.default(false),
    inline_img: optionTypes.inline_img.default(false),
    inline_css: optionTypes.inline_css.default(false),
    time_match: optionTypes.time_match.default(false),
    best_hour: optionTypes.best_hour.default(false),
    any_time: optionTypes.any_time.default(false),
    ln: optionTypes.ln.optional(),
    template_id: optionTypes.template_id.optional(),
  },
  {
    fault: 'CAMPAIGN_OPTION_INVALID',
    selfFault: 'OPTIONS_STRUCT_INVALID',
    // The others change neither the content nor who gets it.
    aliases: {
      to_name: 'to_email',
      folder_id: '',
      auto_tweet: '',
      auto_fb_post: '',
      fb_comments: '',
      ecomm360: '',
      crm_tracking: '',
    },
  },
);

export const trackingOption = tracking;
export const analyticsOption = analytics;

export type Options = z.output<typeof options>;
export type Content = z.output<typeof content>;
export type TypeOpts = z.output<typeof typeOpts>;
export type Tracking = z.output<typeof tracking>;
export type Analytics = z.output<typeof analytics>;
