// The methods by which a signed-in user lets a relay or a bounce mailbox have access at a provider. Begun on the screen of the relay or the
// mailbox, ended by the page to which the provider sends the browser back.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { id, params, text } from '../../method/params.ts';
import { beginAccess, endAccess, exchangeCode } from './authorize.ts';

export const oauthMethods = [
  method({
    name: 'oauthBegin',
    group: 'account',
    summary: 'Returns the address at which the signed-in user lets a relay or a bounce mailbox use a mailbox.',
    description:
      'For auth oauth with the flow authorization_code. The address works for ten minutes; a later call replaces it. A relay is for the account of the operator.',
    params: params({ relay: id('The relay.').optional(), mailbox: id('Or the bounce mailbox.').optional() }),
    returns: z.object({
      url: z.string(),
      redirect_uri: z.string().meta({ description: 'What is registered at the provider.' }),
    }),
    faults: ['INVALID_PARAMETER'],
    scope: 'admin',
    person: true,
    confirm: () => true,
    example: { params: { mailbox: '{{oauth_mailbox}}' } },
    run: beginAccess,
  }),
  method({
    name: 'oauthEnd',
    group: 'account',
    summary: 'Ends what oauthBegin() began, with what the provider added to the redirect URI.',
    description: 'It works once, for the same user.',
    params: params({
      state: text('As the provider sent it.', 1_000),
      code: text('As the provider sent it.', 10_000).optional(),
      error: text('Why the provider sent no code.', 1_000).optional(),
    }),
    returns: z.object({ relay: z.string(), mailbox: z.string() }),
    faults: ['INVALID_PARAMETER'],
    scope: 'admin',
    person: true,
    example: { params: { state: '{{oauth_state}}', code: 'as the provider sent it' } },
    prepare: exchangeCode,
    run: endAccess,
  }),
];
