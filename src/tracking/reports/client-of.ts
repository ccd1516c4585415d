// The email client, or browser, and the kind of device behind a request, by its User-Agent. Pure. Services that fetch images
// for their users (Gmail, Yahoo) hide the device.

export type Device = 'computer' | 'phone' | 'tablet' | 'unknown';
export type Client = { client: string; device: Device };

/** The first that matches: browsers name others of them, and clients name the browser they are built on. */
const clients: [pattern: RegExp, name: string][] = [
  [/GoogleImageProxy|ggpht\.com/i, 'Gmail'],
  [/YahooMailProxy/i, 'Yahoo Mail'],
  [/Microsoft Outlook|MSOffice|Outlook-/i, 'Outlook'],
  [/Thunderbird/i, 'Thunderbird'],
  [/SamsungEmail|Samsung ?Mail/i, 'Samsung Email'],
  [/Superhuman|Spark\/|Airmail|eM ?Client|K-9|FairEmail|Evolution\/|KMail/i, 'Other email client'],
  [/SamsungBrowser/i, 'Samsung Internet'],
  [/EdgA?\/|EdgiOS/i, 'Edge'],
  [/OPR\/|Opera/i, 'Opera'],
  [/Firefox\/|FxiOS/i, 'Firefox'],
  [/Chrome\/|CriOS|Chromium/i, 'Chrome'],
  [/Version\/[\d.]+.*Safari\//i, 'Safari'],
  // Apple's own clients show a page without naming a browser.
  [/(Macintosh|iPhone|iPad).*AppleWebKit\//i, 'Apple Mail'],
];

const devices: [pattern: RegExp, device: Device][] = [
  [/GoogleImageProxy|ggpht\.com|YahooMailProxy/i, 'unknown'],
  [/iPad|Tablet|Android(?!.*Mobile)/i, 'tablet'],
  [/iPhone|iPod|Mobile/i, 'phone'],
  [/Windows|Macintosh|X11|Linux|CrOS|MSOffice|Microsoft Outlook/i, 'computer'],
];

export function clientOf(userAgent: string): Client {
  const of = <T>(table: [RegExp, T][]) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  return { client: of(clients) ?? '', device: of(devices) ?? 'unknown' };
}
