// What a visitor probably meant whose address has the domain of a large mailbox provider, but for one letter. A hint, never a
// refusal: the domain may be right. Pure.
import { parseAddress } from '../address.ts';

/** Domains of which many addresses are, and which typing errors are compared with. */
const often = [
  ...['gmail.com', 'googlemail.com', 'hotmail.com', 'outlook.com', 'icloud.com', 'yahoo.com', 'protonmail.com'],
  ...[
    'hotmail.de',
    'hotmail.fr',
    'hotmail.it',
    'hotmail.es',
    'hotmail.co.uk',
    'outlook.de',
    'outlook.fr',
    'outlook.es',
  ],
  ...['yahoo.de', 'yahoo.fr', 'yahoo.it', 'yahoo.es', 'yahoo.co.uk', 'yahoo.co.jp', 'yahoo.co.in', 'yahoo.com.br'],
  ...[
    'yahoo.com.ar',
    'yahoo.com.au',
    'yahoo.com.mx',
    'hotmail.com.br',
    'hotmail.com.ar',
    'outlook.com.br',
    'terra.com.br',
  ],
  ...['t-online.de', 'freenet.de', 'posteo.de', 'mailbox.org', 'wanadoo.fr', 'orange.fr', 'laposte.net', 'libero.it'],
  ...[
    'virgilio.it',
    'tiscali.it',
    'comcast.net',
    'verizon.net',
    'btinternet.com',
    'bluewin.ch',
    'telenet.be',
    'ziggo.nl',
  ],
  ...['seznam.cz', 'interia.pl', 'yandex.ru', 'rambler.ru', 'naver.com'],
];

/** Too short to be compared letter by letter; only the end of the domain is. */
const short = [
  'gmx.de',
  'gmx.net',
  'gmx.at',
  'gmx.ch',
  'web.de',
  'aol.com',
  'live.com',
  'msn.com',
  'me.com',
  'mail.ru',
  'uol.com.br',
  'bol.com.br',
  'live.co.uk',
];

/** Domains of other providers whose name differs by one letter from one above, with the same end. */
const others = ['ymail.com', 'email.com', 'mail.com', 'gmai.com', 'zmail.com', 'tmail.com', 'hmail.com', 'fmail.com'];

/** What is written for .com, .de and .net, and is the end of no domain, or of none where people have mailboxes. */
const wrongEnds: Readonly<Record<string, string>> = {
  ...{ con: 'com', cim: 'com', cpm: 'com', vom: 'com', xom: 'com', dom: 'com', comm: 'com', coom: 'com', cmo: 'com' },
  ...{ ocm: 'com', om: 'com', cm: 'com', coim: 'com', comn: 'com', comt: 'com', ccom: 'com', ckm: 'com' },
  ...{ dee: 'de', ed: 'de', dw: 'de', dd: 'de', ded: 'de', nett: 'net', ent: 'net', ner: 'net', met: 'net' },
};

const known = new Set([...often, ...short, ...others]);

/** The address that was probably meant; undefined when this one may well be right. */
export function probableAddress(email: string): string | undefined {
  const address = parseAddress(email);
  if (!address.ok || known.has(address.domain)) return undefined;
  const local = address.email.slice(0, address.email.lastIndexOf('@'));
  const domain = probableDomain(address.domain);
  return domain === undefined ? undefined : `${local}@${domain}`;
}

function probableDomain(domain: string): string | undefined {
  const dot = domain.lastIndexOf('.');
  const name = domain.slice(0, dot);
  const written = domain.slice(dot + 1);
  const end = wrongEnds[written] ?? (/^..?(.)\1$/.test(written) ? written.slice(0, -1) : undefined);
  const corrected = end === undefined ? domain : `${name}.${end}`;
  if (corrected !== domain && (often.includes(corrected) || short.includes(corrected))) return corrected;
  const ofCountry = [...often, ...short].find((one) => isSameIn(domain, one));
  if (ofCountry !== undefined) return ofCountry;
  // One letter in the name, the end being right or one of the wrong ones.
  return often.find((one) => {
    const at = one.indexOf('.');
    return corrected.slice(corrected.indexOf('.')) === one.slice(at)
      ? differsByOne(corrected.slice(0, corrected.indexOf('.')), one.slice(0, at))
      : corrected === one.replace('.', '') || corrected.replaceAll('.', '') === one.replaceAll('.', '');
  });
}

/**
 * Whether a domain under that of a country, such as yahoo.com.br, has one letter wrong in what is before the country
 * (con.br), or in a country of other than two letters (com.brr): one of two may be another country.
 */
function isSameIn(domain: string, right: string): boolean {
  const [name, level, country, ...more] = domain.split('.');
  const [rightName, rightLevel, rightCountry] = right.split('.');
  if (!level || !country || !rightCountry || more.length > 0 || name !== rightName) return false;
  if (country === rightCountry) return wrongEnds[level] === rightLevel || differsByOne(level, rightLevel!);
  return level === rightLevel && country.length !== 2 && differsByOne(country, rightCountry);
}

/** Whether one letter is missing, added or another, or two neighbours are exchanged. */
function differsByOne(given: string, right: string): boolean {
  if (given === right || Math.abs(given.length - right.length) > 1) return false;
  let i = 0;
  while (i < given.length && given[i] === right[i]) i++;
  const [a, b] = [given.slice(i), right.slice(i)];
  return (
    a.slice(1) === b ||
    a === b.slice(1) ||
    a.slice(1) === b.slice(1) ||
    (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2))
  );
}
