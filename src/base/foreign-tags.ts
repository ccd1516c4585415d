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
  /\{\{\{?-?([^{}\n]{1,120}?)-?\}?\}\}/g,
  /\{%-?([^{}%\n]{1,120}?)-?%\}/g,
  /\[%([^[\]%\n]{1,80}?)%\]/g,
  /%%=?\s{0,4}([A-Za-z][\w. ]{0,40}?)\s{0,4}=?%%/g,
  // AMPscript calls its functions.
  /%%=\s{0,4}(v\(@\w{1,60}\)|[A-Za-z]\w{0,40}\([^%\n]{0,120}?\))\s{0,4}=%%/g,
  /(?<!\[)\[\[\s{0,4}([A-Za-z][\w.: -]{0,60}?(?:(?:\s{0,4}[|:]\s{0,4}|\s{1,4}or\s{1,4})["“][^"”\]\n]{0,60}["”])?)\s{0,4}\]\](?!\])/gi,
  /\{\$([A-Za-z][\w.]{0,40})\}/g,
  /(?<!\$)\$\{\s{0,4}([A-Za-z][\w.]{0,60})\s{0,4}\}/g,
  /\$\[([A-Za-z][\w. :]{0,40}(?:\|[^\]\n]{0,60})?)\]\$/g,
  // ERB, EJS, ASP.
  /<%[=-]?([^<>%\n]{1,120}?)-?%>/g,
  /\{!\s{0,4}(\$?[A-Za-z][\w. ]{0,60})\s{0,4}\}/g,
  /!\*\s{0,4}([A-Za-z][\w. ]{0,40})\s{0,4}\*!/g,
  /\{#\s{0,4}([A-Za-z][\w.]{0,40})\s{0,4}#\}/g,
  /<\?(?:php\s|=)([^<>?\n]{1,120}?)\?>/gi,
  // MailPoet.
  /(?<!\[)\[((?:subscriber|newsletter|link|user|site|date):[a-z_]{2,40})\](?![\](])/g,
];

/**
 * Elements in whose place Campaign Monitor, Sendy and others put a link or a date: a browser shows what is in them. The end of one
 * that becomes a link is replaced with it.
 */
const elementNames =
  'unsubscribe|webversion|preferences|forwardtoafriend|currentday|currentdayname|currentmonth|currentmonthname|currentyear';
const elements = new RegExp(`<(/?)(${elementNames})((?:\\s[^<>]{0,300})?)>`, 'gi');
const elementLinks: Readonly<Record<string, string>> = {
  unsubscribe: '*|UNSUB|*',
  webversion: '*|ARCHIVE|*',
  preferences: '*|UPDATE_PROFILE|*',
};

/** Whether another program fills in an element of this name. */
export const isForeignElement = (name: string): boolean => elementNames.split('|').includes(name.toLowerCase());

/** Notations that occur in other texts too: only names that people are called by, or that lead out, are tags. */
const doubtful: readonly RegExp[] = [
  /(?<![\w%<[{])%([A-Za-z][\w.]{2,40})%(?![%>\]}])/g,
  /(?<![\w$])\$\$?([A-Za-z][\w.]{2,40})\$\$?(?![\w$])/g,
  /(?<![\w#&*{])##?([A-Za-z][\w.]{2,40})##?(?![\w#])/g,
  /(?<![\w@.])@@?([A-Za-z][\w.]{2,40})@@?(?![\w@])/g,
  /(?<!\()\(\(\s{0,4}([A-Za-z][\w. ]{2,40}?)\s{0,4}\)\)(?!\))/g,
  // Not the notations of our own: #[FNAME]# and *[FNAME]*.
  /(?<![#*[\]\w$])\[([A-Za-z][\w. :]{2,40}?(?:(?:,\s{0,4}fallback=|\s{0,4}\|\s{0,4})[^\]\n]{0,60})?)\](?![\](#*:$])/g,
  // With a brace too few.
  /(?<!\{)\{\{\s{0,4}([A-Za-z][\w. ]{2,40}?)\s{0,4}\}(?!\})/g,
  /(?<!\{)\{\s{0,4}([A-Za-z][\w. ]{2,40}?)\s{0,4}\}\}(?!\})/g,
  /(?<![{$\w])\{\s{0,4}([A-Za-z][\w.: ]{2,40}?(?:\|[^{}|\n]{0,60})?)\s{0,4}\}(?!\})/g,
];

/** Signs that are quotes or emphasis as well: only names that are no words of prose, such as FirstName. */
const quotes: readonly RegExp[] = [
  /(?<![\w~])~([A-Za-z][\w.]{2,40})~(?![\w~])/g,
  /«\s{0,4}([A-Za-z][\w. ]{2,40}?)\s{0,4}»/g,
  /<<\s{0,4}([A-Za-z][\w. ]{2,40}?)\s{0,4}>>/g,
  /(?<!<)<\s{0,4}([A-Za-z][\w ]{2,40}?)\s{0,4}>(?!>)/g,
  /(?<![\w_])__([A-Za-z][\w.]{2,40}?)__(?![\w_])/g,
  /(?<![\w-])-([A-Za-z][\w.]{2,40})-(?![\w-])/g,
];
const isNoWord = (name: string): boolean => /[a-z][A-Z]|[_.]/.test(name) || /^(?:first|last|full) ?name$/i.test(name);

/** What follows a bar and changes the value: no default. */
const filterNames =
  /^(title(ize|case)?|capitali[sz]e(_?first)?|upper(case)?|lower(case)?|upcase|downcase|escape|e|h|safe|raw|trim|r?l?strip|strip_?tags|url_?encode)$/i;

/** Names of tags that have nothing that means the same. */
const unmatched = /^(anrede|salutation|contactid|subscriberid|recipientid)$/;

const meanings: readonly (readonly [RegExp, string])[] = [
  [/^(first|f|given|fore)name$|^vorname$|^prenom$|^voornaam$/, '*|FNAME|*'],
  [/^(last|l|sur|family)name$|^nachname$|^nom$|^achternaam$/, '*|LNAME|*'],
  [/^(full)?name$/, '*|FNAME|* *|LNAME|*'],
  [/^(e?mail|emailaddress|emailid)$/, '*|EMAIL|*'],
  [
    /^(one\w*|tag|link|mail|list|global|contact|subscriber|subscription|asmgroup|asmglobal)?(unsubscribe|optout|unsub)(raw)?(url|link|uri|tag)?$/,
    '*|UNSUB|*',
  ],
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
    for (const match of text.matchAll(notation))
      if (match[1]!.trim() !== '') note(match[0], match.index, replacementOf(match[1]!.trim(), fields));
  for (const match of text.matchAll(elements)) {
    const [whole, end, name = '', attributes = ''] = match;
    const target = elementLinks[name.toLowerCase()];
    if (target) note(whole, match.index, end ? '</a>' : `<a href="${target}"${attributes}>`);
    else if (!end) note(whole, match.index, undefined);
  }
  for (const notation of [...doubtful, ...quotes])
    for (const match of text.matchAll(notation)) {
      const inner = match[1]!;
      if (/:\s/.test(inner) || (quotes.includes(notation) && !isNoWord(inner))) continue;
      // The tag of a field in capitals is a tag; city may be a word.
      const replacement = replacementOf(inner, fields.includes(inner) ? [inner] : []);
      if (replacement || unmatched.test(plainName(inner))) note(match[0], match.index, replacement);
    }
  return [...found.values()].sort((a, b) => a.at - b.at).map(({ tag }) => tag);
}

/** The text with the tags that have a replacement replaced. */
export const replaceForeignTags = (text: string, tags: readonly ForeignTag[]): string =>
  tags.reduce((all, { found, replacement }) => (replacement ? all.replaceAll(found, replacement) : all), text);

/** The text without what no reader sees: styles, scripts and comments. */
export const withoutCode = (html: string): string =>
  html.replace(
    /<(style|script)\b[^>]{0,1000}>[\s\S]*?(?:<\/\1\s{0,4}>|$)|<!--(?!\s{0,4}\[if\b)[\s\S]*?(?:-->|$)/gi,
    ' ',
  );

function replacementOf(inner: string, fields: readonly string[]): string | undefined {
  const token = /^personalization_token\(\s*(["'])([^"']+)\1(?:\s*,\s*(["'])([^"']*)\3)?\s*\)$/.exec(inner);
  const [, , tokenName, , tokenDefault] = token ?? [];
  // Mailjet writes var:first_name:"friend", Constant Contact FIRSTNAME OR "friend".
  const [, quotedName, quotedDefault] = /^([^"“]+?)(?:\s*:\s*|\s+or\s+)["“]([^"”]*)["”]$/i.exec(inner) ?? [];
  const [path = '', ...filters] = (tokenName ?? quotedName ?? inner).split(/\||,(?=\s*fallback=)/);
  const named = filters
    .map((filter) => /^\s*(?:default\s*:?|fallback\s*=)\s*["']?([^"']*?)["']?\s*$/.exec(filter)?.[1])
    .find(Boolean);
  // $[FNAME|friend]$ and [%name | friend%] have the words alone.
  const bare =
    filters.length === 1 &&
    /^\s*["']?[\p{L}][\p{L} ]*["']?\s*$/u.test(filters[0]!) &&
    !filterNames.test(filters[0]!.trim())
      ? filters[0]!
      : undefined;
  const fallback = tokenDefault ?? quotedDefault ?? named ?? bare?.replace(/["']/g, '');
  const plain = plainName(path);
  const known = meanings.find(([names]) => names.test(plain))?.[1];
  const field = fields.find((name) => name.toLowerCase().replace(/[^a-z0-9]/g, '') === plain);
  const tag = known ?? (field && `*|${field}|*`);
  const words = fallback?.replace(/[|<>*]/g, '').trim();
  return tag && words && /^\*\|[A-Z0-9_]+\|\*$/i.test(tag) ? tag.replace(/\|\*$/, `:${words}|*`) : tag;
}

/** contact.FIRSTNAME, .Subscriber.FirstName, subscriber:firstname and lead.First Name are the first name. */
function plainName(path: string): string {
  const last = path
    .trim()
    .replace(/^[.@$]+/, '')
    .split(/[.:]/)
    .at(-1)!;
  return last.toLowerCase().replace(/[^a-z0-9]/g, '');
}
