// Freezes the content of a campaign as it is sent: the compiled message, for an A/B test one of each variant, and one link table
// for all of them and for all revisions.
import { createHash } from 'node:crypto';
import type { Context } from '../../base/context.ts';
import { compileCampaign } from '../../campaigns/compile/compile-campaign.ts';
import { attachmentsHash } from '../../campaigns/content/attachments.ts';
import { keepSentAssets } from '../../campaigns/content/pictures/asset.ts';
import { freezeInlineImages, type InlinePicture } from '../../campaigns/content/pictures/inline-images.ts';
import type { Link } from '../../campaigns/markup/compiled.ts';
import { revisionStep } from '../../campaigns/model/revision.ts';
import { languagesOf, variantCount } from '../../campaigns/model/variant.ts';
import { type Queries, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';

/** Compiles the content of a campaign and stores it as it is sent, with its link table. @param revision that of the launch is 1 @throws Fault CONTENT_INVALID, UNAVAILABLE */
export async function freezeContent(
  context: Pick<Context, 'app' | 'tx' | 'account'>,
  campaign: number,
  pictures: readonly InlinePicture[],
  revision = 1,
): Promise<void> {
  const { app, tx, account } = context;
  const of = { account: account.id, campaign };
  await freezeInlineImages(tx, of, pictures, revision > 1);
  const count = await variantCount(context, campaign);
  const languages = new Map((await languagesOf(tx, of)).map(({ no, language }) => [no, language]));
  // Part of the hash by which a worker knows whether its copy is current.
  const files = await attachmentsHash(tx, of);
  const known = await knownLinks(tx, of);
  let links = known.map(({ written }) => written);
  const texts: string[] = [];
  for (let variant = 0; variant < count; variant++) {
    // A link that several variants or revisions have is one: its clicks are counted together.
    const compiled = (await compileCampaign(tx, app, account, campaign, pictures, { no: variant, links }))!;
    links = compiled.links.map(({ target }) => target);
    const corrected = compiled.links.map((link, no): Link => ({ ...link, target: known[no]?.target ?? link.target }));
    const text = JSON.stringify({ ...compiled, links: corrected });
    texts.push(text);
    await tx.run(sql`
      insert into frozen_content (account_id, campaign_id, variant, language, compiled, content_hash)
      values (${of.account}, ${of.campaign}, ${(revision - 1) * revisionStep + variant}, ${languages.get(variant) ?? ''}, ${text}, ${createHash(
        'sha256',
      )
        .update(text + files)
        .digest('hex')})
      on conflict (account_id, campaign_id, variant) do update
      set language = excluded.language, compiled = excluded.compiled, content_hash = excluded.content_hash, frozen_at = now()`);
  }
  await keepSentAssets(tx, of.account, texts, true);
  await tx.run(sql`
    insert into link (account_id, campaign_id, no, target)
    select ${of.account}::int, ${of.campaign}::int, no, target
    from jsonb_to_recordset(${JSON.stringify(links.map((target, no) => ({ no, target })))}::jsonb) as l(no int, target text)
    on conflict (account_id, campaign_id, no) do nothing`);
}

/** The links of earlier revisions by number: as the author wrote them, and where they lead. */
function knownLinks(db: Queries, of: CampaignKey): Promise<{ written: string; target: string }[]> {
  return db.rows(sql`
    select coalesce(first_target, target) as written, target
    from link
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
    order by no`);
}
