// Which pictures of a campaign with inline_img cannot be put into the message, as campaignCheck reports them. Fetches, so it
// runs before the transaction of the call. A composer checks after every change, so results are kept for some minutes.
import { createHash } from 'node:crypto';
import type { App, PrepareContext } from '../../base/context.ts';
import { parseId } from '../../db/ids.ts';
import { gatherInlineImages, pageOf } from '../content/pictures/inline-images.ts';

const keptForMs = 5 * 60_000;
const maxKept = 200;
/** A call waits this long for pictures; those that take longer are reported. */
const maxFetchMs = 15_000;

const kept = new WeakMap<App, Map<string, { at: number; leftOut: string[] }>>();

/** The addresses of pictures that stay on the web; none without inline_img, or for an unknown campaign. */
export async function leftOutPictures(
  { app, account, log }: PrepareContext,
  { cid }: { cid: string },
): Promise<string[]> {
  const campaignId = parseId(cid);
  const html = await pageOf(app, { account: account.id, campaign: campaignId });
  if (html === undefined) return [];
  const results = kept.get(app) ?? new Map<string, { at: number; leftOut: string[] }>();
  kept.set(app, results);
  const key = `${account.id} ${createHash('sha256').update(html).digest('hex')}`;
  const known = results.get(key);
  if (known && performance.now() - known.at < keptForMs) return known.leftOut;
  const { leftOut } = await gatherInlineImages(app, log, { account: account.id, campaign: campaignId }, maxFetchMs);
  results.delete(key);
  if (results.size >= maxKept) results.delete(results.keys().next().value!);
  results.set(key, { at: performance.now(), leftOut });
  return leftOut;
}
