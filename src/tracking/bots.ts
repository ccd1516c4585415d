// Detects hits that come from machines instead of people, by their request alone. Pure. Machine hits are stored too, so a wrong
// guess loses nothing. bursts.ts detects machines by what else they fetch.

export type HitFacts = {
  userAgent: string;
};

/** Whether a request is not counted at all: it is not a GET, or it is a prefetch or preview. */
export function isUncounted(method: string, headers: Record<string, string | string[] | undefined>): boolean {
  if (method !== 'GET') return true;
  const purpose = [headers['purpose'], headers['sec-purpose'], headers['x-purpose'], headers['x-moz']]
    .join(' ')
    .toLowerCase();
  return purpose.includes('prefetch') || purpose.includes('prerender') || purpose.includes('preview');
}

/** Why a hit counts as a machine's; null for a person's. */
export function machineReason(facts: HitFacts): string | null {
  const agent = facts.userAgent.trim();
  if (agent === '') return 'no-agent';
  if (scanners.test(agent)) return 'scanner';
  if (programs.test(agent)) return 'program';
  // Apple's Mail Privacy Protection fetches every image through proxies that give only this.
  if (agent === 'Mozilla/5.0') return 'privacy-proxy';
  return null;
}

// Google's and Yahoo's image proxies are missing on purpose: they fetch when a person opens the message.
const scanners =
  /barracuda|proofpoint|mimecast|symantec|messagelabs|fireeye|trendmicro|ironport|sophos|forcepoint|zscaler|safelinks|microsoft office|bingpreview|urldefense|cloudmark|vade|hornet|spamassassin|clamav/i;
const programs =
  /\b(bot|crawler|spider|slurp|curl|wget|python|java|perl|ruby|php|go-http-client|libwww|okhttp|axios|node-fetch|undici|httpclient|headlesschrome|phantomjs|facebookexternalhit|slackbot|twitterbot|whatsapp|telegrambot|discordbot|linkedinbot|skypeuripreview)\b|bot[/;\s)]/i;
