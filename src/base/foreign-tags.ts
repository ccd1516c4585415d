// Merge tags of other programs, such as {{ contact.FIRSTNAME }}, and the tags of ours that mean the same. Readers would get them as
// text. Pure and without imports: the web application uses it too.

export type ForeignTag = {
  /** As it is in the text. */
  found: string;
  /** What means the same; undefined if nothing does. */
  replacement: string | undefined;
};

/** Notations in which anything is a tag. */
const notations: readonly RegExp[] = [
  // Handlebars, Liquid, Jinja, Go templates: Brevo, Klaviyo, HubSpot, listmonk and many others.
  /\{\{\{?-?\s*([^{}\n]{1,120}?)\s*-?\}?\}\}/g,
  /\{%-?\s*([^{}%\n]{1,120}?)\s*-?%\}/g,
  /\[%\s*([^[\]%\n]{1,80}?)\s*%\]/g,
  /%%\s*([A-Za-z][\w. ]{0,40}?)\s*%%/g,
  /\[\[\s*([\w.: -]{1,60}?)\s*\]\]/g,
  /\{\$([A-Za-z][\w.]{0,40})\}/g,
];

/** Notations that occur in other texts too: only names that people are called by, or that lead out, are tags. */
const doubtful: readonly RegExp[] = [
  /(?<![\w%])%([A-Za-z][\w.]{2,40})%(?!%)/g,
  // Not the notations of our own: #[FNAME]# and *[FNAME]*.
  /(?<![#*[\]\w])\[([A-Za-z][\w. ]{2,40}?(?:,\s*fallback=[^\]\n]{0,60})?)\](?![\](#*])/g,
];

const meanings: readonly (readonly [RegExp, string])[] = [
  [/^(first|f|given|fore)name$|^vorname$|^prenom$/, '*|FNAME|*'],
  [/^(last|l|sur|family)name$|^nachname$|^nom$/, '*|LNAME|*'],
  [/^(full)?name$/, '*|FNAME|* *|LNAME|*'],
  [/^(e?mail|emailaddress|emailid)$/, '*|EMAIL|*'],
  [/^(one\w*)?(unsubscribe|optout|unsub)(url|link|uri|tag)?$|^linkunsubscribe$/, '*|UNSUB|*'],
  [
    /^(web|online|browser)(version|view|url|link)+$|^viewin(the|your)?browser(url|link)?$|^(mirror|view)(page|aspagelink|link)?$|^messageurl$/,
    '*|ARCHIVE|*',
  ],
  [
    /^(update|manage|edit)(profile|preferences?|subscriptions?)?(url|link)?$|^preferences?(url|link)?$/,
    '*|UPDATE_PROFILE|*',
  ],
  [/^(company|organi[sz]ation)(name)?$/, '*|LIST:COMPANY|*'],
  [/^(company|organi[sz]ation)?(full|postal|street)?address$|^address$/, '*|LIST:ADDRESS|*'],
];

/**
 * The tags of other programs in a text, each once, in the order of their first place.
 * @param fields the merge fields that there are, such as CITY
 */
export function foreignTags(text: string, fields: readonly string[] = []): ForeignTag[] {
  const found = new Map<string, { at: number; tag: ForeignTag }>();
  const note = (whole: string, at: number, replacement: string | undefined) => {
    if (!found.has(whole)) found.set(whole, { at, tag: { found: whole, replacement } });
  };
  for (const notation of notations)
    for (const match of text.matchAll(notation)) note(match[0], match.index, replacementOf(match[1]!, fields));
  for (const notation of doubtful)
    for (const match of text.matchAll(notation)) {
      const replacement = replacementOf(match[1]!, []);
      if (replacement) note(match[0], match.index, replacement);
    }
  return [...found.values()].sort((a, b) => a.at - b.at).map(({ tag }) => tag);
}

/** The text with the tags that have a replacement replaced. */
export const replaceForeignTags = (text: string, tags: readonly ForeignTag[]): string =>
  tags.reduce((all, { found, replacement }) => (replacement ? all.replaceAll(found, replacement) : all), text);

function replacementOf(inner: string, fields: readonly string[]): string | undefined {
  const token = /^personalization_token\(\s*(["'])([^"']+)\1(?:\s*,\s*(["'])([^"']*)\3)?\s*\)$/.exec(inner);
  const [, , tokenName, , tokenDefault] = token ?? [];
  const [path = '', ...filters] = (tokenName ?? inner).split(/\||,(?=\s*fallback=)/);
  const fallback =
    tokenDefault ??
    filters
      .map((filter) => /^\s*(?:default\s*:?|fallback\s*=)\s*["']?([^"']*?)["']?\s*$/.exec(filter)?.[1])
      .find(Boolean);
  // contact.FIRSTNAME, .Subscriber.FirstName and lead.First Name are the first name.
  const last = path
    .trim()
    .replace(/^[.@$]+/, '')
    .split('.')
    .at(-1)!;
  const plain = last.toLowerCase().replace(/[^a-z0-9]/g, '');
  const known = meanings.find(([names]) => names.test(plain))?.[1];
  const field = fields.find((name) => name.toLowerCase().replace(/[^a-z0-9]/g, '') === plain);
  const tag = known ?? (field && `*|${field}|*`);
  const words = fallback?.replace(/[|<>*]/g, '').trim();
  return tag && words && /^\*\|[A-Z0-9_]+\|\*$/i.test(tag) ? tag.replace(/\|\*$/, `:${words}|*`) : tag;
}
