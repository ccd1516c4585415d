// The hosts of an account's own sites, as the setting analytics_sites names them. Pure.

/** Hosts from a text of hosts or addresses; undefined when one is none. */
export function readSites(text: string): string[] | undefined {
  const hosts = text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map((part) => hostOf(/^https?:\/\//i.test(part) ? part : `https://${part.replace(/^\*\./, '')}`));
  return hosts.every((host) => host !== undefined && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host))
    ? [...new Set(hosts.map((host) => host!.replace(/^www\./, '')))]
    : undefined;
}

/** The host of an address in lower case and ASCII, without a dot at its end. */
export function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, '').toLowerCase() : undefined;
}
