// THE one place where the creation options of a campaign are defined: types, defaults, limits. campaignCreate reads them
// all together, campaignUpdate one by name, with the same types.
import { z } from 'zod';
import { languageCodes } from '../../locales/languages.ts';
import { named } from '../../method/named.ts';
import { arrayOf, boolean, filledLine, id, integer, line, oneOf, problem, struct, text } from '../../method/params.ts';
import { MAX_BODY_BYTES } from '../../method/wire.ts';

/** What a member may hold before it is looked at closely: as much as a body. */
const anySize = MAX_BODY_BYTES;

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
const ids = (description: string, item: string) => arrayOf(description, id(item), 100);

/** An option that a column stores as it is given, and that a new campaign needs. @param about the description of it in results */
const needed = <const C extends string, T extends z.ZodType>(column: C, type: T, about?: string) => {
  const shown = about === undefined ? z.string() : z.string().meta({ description: about });
  return { type, given: type, column, shown, fallback: undefined };
};
/** The same, but empty without it. */
const words = <const C extends string, T extends z.ZodType>(column: C, type: T, about?: string) => ({
  ...needed(column, type, about),
  ...{ given: type.optional(), fallback: '' },
});
/** An option that is yes or no, and no without it. */
const flag = <const C extends string>(column: C, description: string) => {
  const type = boolean(description);
  return { type, given: type.default(false), column, shown: z.boolean(), fallback: false };
};
/** An option that is stored in another way. */
const other = <T extends z.ZodType>(type: T) => ({ type, given: type.optional() });

/**
 * THE list of the options of campaignCreate and campaignUpdate. What creates, shows, changes and copies those that have a column is
 * derived from it; the rules of an option are in create.ts and changes.ts of draft.
 */
const all = {
  list_id: { type: lists, given: lists },
  segment_id: other(ids('Segments built on the given lists.', 'A segment.')),
  exclude_list_id: other(ids('Lists whose subscribed members are left out.', 'A list.')),
  exclude_segment_id: other(ids('Segments, of any list, whose members are left out.', 'A segment.')),
  subject: needed(
    'subject',
    filledLine('Subject line; may contain merge tags. Line breaks and tabs become spaces.', 1_000),
  ),
  preview_text: words(
    'preview_text',
    line(
      'Preview text: what an inbox shows after the subject; may contain merge tags. It takes the place of the one in the HTML. Default is the one in the HTML.',
      1_000,
    ),
    '"" for the one in the HTML.',
  ),
  from_email: needed('reply_to', text('Reply-to address: where answers of recipients go.', 1_000), 'Where answers go.'),
  from_name: needed(
    'from_name',
    filledLine('Sender name shown to recipients; may contain merge tags. Line breaks and tabs become spaces.', 300),
  ),
  sender: words(
    'sender',
    text("Sender address. Default is the account's main address.", 1_000),
    '"" for the main address of the account.',
  ),
  to_email: words('to_name', line('Display name of the To header, with merge tags, such as *|FNAME|*.', 300)),
  tracking: other(tracking),
  title: words('title', line('Name of the campaign; default is the subject without its merge tags.', 1_000)),
  analytics: other(analytics),
  generate_text: flag('generate_text', 'Whether plain text is made from the HTML when none is given.'),
  auto_footer: flag(
    'auto_footer',
    'Whether the standard header (a link to the message in a browser) and footer (the sender, its address, a link to unsubscribe) are added. Without it, a part of the message that has no link to unsubscribe still gets the footer.',
  ),
  authenticate: flag('authenticate', 'Whether the messages are signed for an authenticated domain.'),
  inline_img: flag('inline_img', 'Whether images are embedded in the message.'),
  inline_css: flag(
    'inline_css',
    'Whether the rules of <style> elements are copied into style attributes, for email programs that drop <style>.',
  ),
  time_match: flag('time_match', "Whether a scheduled campaign is delivered by each recipient's clock."),
  best_hour: flag(
    'best_hour',
    'Whether each recipient gets it in the hour in which it usually opens, within 24 hours of the start; those who have opened fewer than 3 messages in 180 days get it at the start. campaignUpdate turns time_match off with it, and the other way round.',
  ),
  any_time: flag('any_time', "Whether it is sent outside the account's send window too."),
  ln: other(oneOf('Language of header and footer texts.', Object.keys(languageCodes))),
  template_id: other(id('A template whose HTML is taken.')),
};
type All = typeof all;

/** One member of each option. */
const each = <M extends 'type' | 'given'>(member: M) =>
  Object.fromEntries(Object.entries(all).map(([name, option]) => [name, option[member]])) as {
    [K in keyof All]: All[K][M];
  };

/** The options that a column stores as they are given. */
export type StoredOption = { [K in keyof All]: All[K] extends { column: string } ? K : never }[keyof All];
export const storedOptions = Object.fromEntries(Object.entries(all).filter(([, option]) => 'column' in option)) as Pick<
  All,
  StoredOption
>;
export const storedNames = Object.keys(storedOptions) as StoredOption[];
export type OptionColumn = All[StoredOption]['column'];

type Flag = { [K in StoredOption]: All[K]['fallback'] extends boolean ? K : never }[StoredOption];
/** The options that are yes or no, and no. */
export const noFlags = Object.fromEntries(
  storedNames.filter((name) => storedOptions[name].fallback === false).map((name) => [name, false]),
) as Record<Flag, boolean>;

export const optionTypes = each('type');

export const options = struct('The options.', each('given'), {
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
});

export const trackingOption = tracking;
export const analyticsOption = analytics;

export type Options = z.output<typeof options>;
export type Content = z.output<typeof content>;
export type TypeOpts = z.output<typeof typeOpts>;
export type Tracking = z.output<typeof tracking>;
export type Analytics = z.output<typeof analytics>;
