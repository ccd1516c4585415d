// A contact becomes a subscribed member of the list.
import { z } from 'zod';
import { boolean } from '../../method/params.ts';
import { triggerKind } from './kind.ts';

export const subscribed = triggerKind({
  type: 'subscribed',
  about: '(becomes a subscribed member)',
  members: { imports: z.boolean() },
  settings: { imports: boolean('subscribed: whether contacts that an import adds enter too.').optional() },
  read: ({ imports = false }) => ({ imports }),
  columns: ({ imports }) => ({ imports }),
});

/** A contact confirms its address. */
export const confirmed = triggerKind({
  type: 'confirmed',
  about: '(confirms its address)',
  members: {},
  settings: {},
  read: () => ({}),
});
