// The receiving providers whose rates are counted apart, by the domains of their addresses. A domain of a company that has its mailboxes
// with one of them counts as other: that is only known from DNS. Imports nothing, so that the screens show the same (bin/build-ui).

/** THE list of providers: key → name and domains. A domain with a dot at its end stands for that name in every country. */
export const mailProviders = {
  gmail: { name: 'Gmail', domains: ['gmail.com', 'googlemail.com'] },
  outlook: { name: 'Outlook', domains: ['outlook.', 'hotmail.', 'live.', 'msn.com', 'passport.com'] },
  yahoo: { name: 'Yahoo and AOL', domains: ['yahoo.', 'ymail.com', 'rocketmail.com', 'aol.', 'aim.com'] },
  icloud: { name: 'iCloud', domains: ['icloud.com', 'me.com', 'mac.com'] },
  gmx: { name: 'GMX and WEB.DE', domains: ['gmx.', 'web.de', 'mail.com'] },
  't-online': { name: 'T-Online', domains: ['t-online.de', 'magenta.de'] },
  orange: { name: 'Orange', domains: ['orange.fr', 'wanadoo.fr'] },
  comcast: { name: 'Comcast', domains: ['comcast.net', 'xfinity.com'] },
  proton: { name: 'Proton', domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'] },
  yandex: { name: 'Yandex', domains: ['yandex.', 'ya.ru'] },
  mailru: { name: 'Mail.ru', domains: ['mail.ru', 'inbox.ru', 'list.ru', 'bk.ru'] },
  netease: { name: 'NetEase', domains: ['163.com', '126.com', 'yeah.net'] },
  qq: { name: 'QQ', domains: ['qq.com', 'foxmail.com'] },
} as const satisfies Record<string, { name: string; domains: readonly string[] }>;

export type MailProvider = keyof typeof mailProviders | 'other';

const byDomain = new Map<string, MailProvider>(
  Object.entries(mailProviders).flatMap(([key, { domains }]) => domains.map((domain) => [domain, key as MailProvider])),
);

/** @param domain of an address, in any case */
export function providerOf(domain: string): MailProvider {
  const name = domain.toLowerCase();
  const found = byDomain.get(name);
  if (found) return found;
  // outlook.de, yahoo.co.uk: a name, and a country with at most one label before it.
  const [first = '', ...country] = name.split('.');
  const isCountry =
    country.length === 1 ? country[0]!.length <= 3 : country.length === 2 && /^(com?|org|ne)$/.test(country[0]!);
  return (isCountry && byDomain.get(`${first}.`)) || 'other';
}
