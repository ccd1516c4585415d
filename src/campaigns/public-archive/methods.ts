// The methods of the public archive.
import { z } from 'zod';
import { languages } from '../../locales/languages.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { paging } from '../../method/paging.ts';
import { arrayOf, boolean, id, isWebAddress, line, params, problem, text } from '../../method/params.ts';
import { isArchiveSlug } from '../model/archive-address.ts';
import { archiveCampaigns, archiveOfCampaign, archiveRecord, setInArchive, updateArchive } from './archive.ts';

const record = named(
  'ArchivePage',
  z.object({
    on: z.boolean(),
    list_ids: z.array(z.string()).meta({ description: 'The lists whose campaigns are shown.' }),
    slug: z.string().meta({ description: 'The last part of the address; empty for one that cannot be guessed.' }),
    title: z.string().meta({ description: 'Empty for the name of the account.' }),
    description: z.string(),
    picture: z.string(),
    language: z.string().meta({ description: 'Empty for the language of the account.' }),
    indexable: z.boolean(),
    url: z.string(),
    feed_url: z.string(),
  }),
);

export const archiveMethods = [
  method({
    name: 'archiveGet',
    group: 'campaigns',
    summary: 'Returns the settings and addresses of the public archive.',
    description: 'The archive is a public page of sent campaigns, with an RSS feed. Off by default.',
    params: params({}),
    returns: record,
    faults: [],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: archiveRecord,
  }),
  method({
    name: 'archiveUpdate',
    group: 'campaigns',
    summary: 'Changes the public archive: whether it is on, whose campaigns it shows, its address and texts.',
    description:
      'What is not given stays. A campaign is shown when all lists that it was sent to are in list_ids and it was not sent to segments; campaignArchiveUpdate decides about single campaigns. Autoresponders and emails of automations are never shown. The address without a slug keeps working.',
    params: params({
      on: boolean('Whether the page is public.').optional(),
      list_ids: arrayOf('The lists whose campaigns are shown.', id('A list.'), 1_000).optional(),
      slug: text(
        'The last part of the address: 3 to 60 lower-case letters, digits and hyphens. Empty for one that cannot be guessed.',
        100,
      )

        .refine((value) => value === '' || isArchiveSlug(value as string), problem('archive.slug'))
        .optional(),
      title: line('Title of the page and the feed.', 200).optional(),
      description: line('A sentence below the title, which search engines and shared links show too.', 500).optional(),
      picture: line('Address of a picture for shared links, such as that of an uploaded image.', 500)
        .refine((value) => value === '' || isWebAddress(value as string), problem('account.website'))
        .optional(),
      language: text('Language of the page, as a tag such as en or de; empty for that of the account.', 20)
        .refine(
          (value) => value === '' || languages.includes(value as string),
          problem('archive.language', { choices: languages.join(', ') }),
        )
        .optional(),
      indexable: boolean('Whether search engines may list the page and the campaigns on it.').optional(),
    }),
    returns: record,
    faults: ['LIST_UNKNOWN'],
    scope: 'admin',
    permission: 'account:write',
    example: { params: { on: true, list_ids: ['{{list}}'], title: 'Our letters' } },
    run: updateArchive,
  }),
  method({
    name: 'archiveCampaigns',
    group: 'campaigns',
    summary: 'Returns the sent campaigns with whether the public archive shows them, newest first.',
    description: 'The archive shows a campaign if in_archive and lists_public are both true.',
    params: params(paging(50, 200)),
    returns: z.array(
      z.object({
        id: z.string(),
        subject: z.string(),
        send_time: z.string(),
        url: z.string(),
        in_archive: z.boolean(),
        lists_public: z.boolean().meta({ description: 'Whether all its lists are chosen for the archive.' }),
      }),
    ),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { limit: 10 } },
    run: archiveCampaigns,
  }),
  method({
    name: 'campaignArchive',
    group: 'campaigns',
    summary: 'Returns whether the public archive shows a campaign, or will once it is sent.',
    description: 'It does if all three are true.',
    params: params({ cid: id('The campaign.') }),
    returns: z.object({
      on: z.boolean().meta({ description: 'Whether the archive is public.' }),
      in_archive: z
        .boolean()
        .meta({ description: 'As campaignArchiveUpdate() has it; without it, false to segments.' }),
      lists_public: z.boolean().meta({
        description:
          'Whether all its lists are chosen for the archive. False for autoresponders and emails of automations.',
      }),
    }),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: archiveOfCampaign,
  }),
  method({
    name: 'campaignArchiveUpdate',
    group: 'campaigns',
    summary: 'Puts a campaign into the public archive or leaves it out.',
    description:
      'At any time, also before it is sent. Without this call a campaign to segments is left out and every other one is in. The archive shows it only if its lists are chosen in archiveUpdate.',
    params: params({ cid: id('The campaign.'), in_archive: boolean('Whether it is in the archive.') }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'send',
    narrowed: true,
    example: { params: { cid: '{{campaign}}', in_archive: false } },
    run: setInArchive,
  }),
];
