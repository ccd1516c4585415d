// The method that switches the public index of an account's sent campaigns on and off.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { boolean, params } from '../../method/params.ts';
import { switchArchiveIndex } from './archive-index.ts';

export const archiveIndexMethod = method({
  name: 'archiveIndex',
  group: 'account',
  summary: 'Switches the public page of the sent campaigns on or off, and returns whether it is on.',
  description:
    'The page and its RSS feed list the campaigns that have been sent, with links to their archive pages; autoresponders are not listed. Off by default. The addresses stay the same when it is switched off and on again.',
  params: params({ on: boolean('Whether the page is public; unchanged if not given.').optional() }),
  returns: z.object({ on: z.boolean(), url: z.string(), feed_url: z.string() }),
  faults: [],
  scope: 'admin',
  example: { params: { on: true } },
  run: switchArchiveIndex,
});
