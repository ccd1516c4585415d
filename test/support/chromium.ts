// A browser for tests: the machine's own Chromium, else the one that comes as a package; undefined where neither runs.
import { findChromium } from '../../src/campaigns/templates/preview.ts';

export async function testChromium(): Promise<string | undefined> {
  const installed = findChromium();
  if (installed) return installed;
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const { default: packaged } = await import('@sparticuz/chromium');
  return packaged.executablePath();
}
