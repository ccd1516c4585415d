// The methods by which a signed-in user lets a relay or a bounce mailbox have access at a provider. Begun on the screen of the relay or the
// mailbox, ended by the page to which the provider sends the browser back.
import { z } from 'zod';
import type { Context, PrepareContext } from '../../base/context.ts';
import { renderPacked } from '../../base/messages.ts';
import { formatId } from '../../db/ids.ts';
import { method } from '../../method/method.ts';
import { id, params, text } from '../../method/params.ts';
import { beginAccess, type Ended, endAccess, exchangeCode } from '../oauth/authorize.ts';
import { pauseRelay } from './relay-change.ts';
import { relayOf, relayRows } from './relay-row.ts';
import { noteTest, onlyToken, testRelay } from './relay-test.ts';

export const oauthMethods = [
  method({
    name: 'oauthBegin',
    group: 'sending',
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
    group: 'sending',
    summary: 'Ends what oauthBegin() began, with what the provider added to the redirect URI.',
    description:
      'It works once, for the same user. A relay is tested with the new access before it takes messages: if that fails, it is saved and paused, unless it has worked with access before.',
    params: params({
      state: text('As the provider sent it.', 1_000),
      code: text('As the provider sent it.', 10_000).optional(),
      error: text('Why the provider sent no code.', 1_000).optional(),
    }),
    returns: z.object({
      relay: z.string(),
      mailbox: z.string(),
      problem: z.string().meta({ description: 'Why the test of the relay failed; empty if it did not.' }),
      paused: z.boolean().meta({ description: 'Whether the relay is paused because of that.' }),
    }),
    faults: ['INVALID_PARAMETER'],
    scope: 'admin',
    person: true,
    example: { params: { state: '{{oauth_state}}', code: 'as the provider sent it' } },
    prepare: exchangeAndTest,
    run: endTested,
  }),
];

type Given = Parameters<typeof exchangeCode>[1];
type Tested = Ended & { outcome: Awaited<ReturnType<typeof testRelay>> | undefined };

async function exchangeAndTest(context: PrepareContext, given: Given): Promise<Tested> {
  const { app } = context;
  const ended = await exchangeCode(context, given);
  const { accountId, id } = ended.grant;
  const row = accountId === 0 ? (await relayRows(app.db)).find((row) => row.id === id) : undefined;
  if (!row) return { ...ended, outcome: undefined };
  const token = onlyToken({ value: ended.issued.accessToken });
  return { ...ended, outcome: await testRelay(app, { relay: relayOf(app, row), row }, token) };
}

async function endTested(context: Context, given: unknown, { outcome, ...ended }: Tested) {
  const result = await endAccess(context, given, ended);
  if (!outcome) return { ...result, problem: '', paused: false };
  await noteTest(context.tx, outcome);
  const paused = !outcome.ok && ended.grant.renewedAt === null;
  if (paused) await pauseRelay(context, formatId(ended.grant.id), true);
  return { ...result, problem: renderPacked(outcome.problem, context.language), paused };
}
