// How the public address compares with the one that the browser is at. Pure.
import type { SetupInfo } from './steps.ts';

/**
 * works: the browser is at the public address. local: links open on this machine only, and so is the browser.
 * local-browser: the browser is at an address of this machine, which says nothing about the public one.
 * differs: the browser is at another address, which can be set. operator: likewise, but BASE_URL is set.
 */
export type Comparison = 'works' | 'local' | 'local-browser' | 'differs' | 'operator';

export function compareAddress(
  { base_url, base_url_local, base_url_source }: Pick<SetupInfo, 'base_url' | 'base_url_local' | 'base_url_source'>,
  here: string,
): Comparison {
  if (isLocal(here)) return base_url_local ? 'local' : 'local-browser';
  if (new URL(base_url).origin === new URL(here).origin) return 'works';
  return base_url_source === 'operator' ? 'operator' : 'differs';
}

/** Whether the host of a URL is this machine. */
function isLocal(url: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** An address that was typed with a path of its own, as BASE_URL has it; undefined for one at the root of its host. */
export function readBase(text: string): string | undefined {
  const origin = readAddress(text);
  const typed = text.trim();
  const path = URL.parse(/^https?:\/\//i.test(typed) ? typed : `https://${typed}`)?.pathname.replace(/\/+$/, '') ?? '';
  // What was copied from the address bar: the path ends where the application begins.
  const base = path.replace(/\/app(?:\/.*)?$/, '');
  return origin === undefined || base === '' ? undefined : origin + base;
}

/** The origin of an address that was typed; https unless it has a scheme. Undefined if it is none. */
export function readAddress(text: string): string | undefined {
  const typed = text.trim();
  const url = URL.parse(/^https?:\/\//i.test(typed) ? typed : `https://${typed}`);
  // Some browsers accept spaces in a host and encode them.
  return url && /^https?:$/.test(url.protocol) && /^[\w.:[\]-]+$/.test(url.hostname) ? url.origin : undefined;
}
