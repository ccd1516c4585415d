// The methods that set up relays in the application: presets, creating, changing, pausing, ordering, deleting. For the
// account of the operator. User name and password are taken and never returned.
import { z } from 'zod';
import { renderMessage, renderPacked } from '../../base/messages.ts';
import { authMethods, tlsPolicies } from '../../base/relay/relay.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { arrayOf, boolean, decimal, id, integer, line, oneOf, params, text, unlessEmpty } from '../../method/params.ts';
import { oauthParameter } from '../oauth/settings.ts';
import { presetNames, presets } from './presets.ts';
import {
  checkHost,
  createRelay,
  deleteRelay,
  orderRelays,
  pauseRelay,
  relayToTest,
  updateRelay,
  useInbox,
} from './relay-change.ts';
import { onlyToken, testOutcome, testRelay } from './relay-test.ts';

const settings = {
  name: line('Its name in lists; the service or the host by default.', 100).optional(),
  host: line('The name or IP address of the server.', 255).optional(),
  port: unlessEmpty(integer('The port; 587 by default.', 1, 65_535)),
  tls: unlessEmpty(
    oneOf(
      'implicit: TLS from the first byte (port 465). require: STARTTLS with a valid certificate. opportunistic: STARTTLS if offered. none: never. By default require if there is a password.',
      tlsPolicies,
    ),
  ),
  username: line('The user name. An empty one without a password removes both.', 500).optional(),
  password: text('The password or key. It is stored encrypted and never returned.', 5_000).optional(),
  auth: unlessEmpty(
    oneOf(
      'How to sign in; any is the best way that the server offers. oauth: with access tokens that are renewed, see oauth; xoauth2 and oauthbearer take a fixed token as password.',
      ['any', ...authMethods],
    ),
  ),
  oauth: oauthParameter.optional(),
  connections: unlessEmpty(integer('Maximum connections of all workers together.', 1, 1_000)),
  messages_per_connection: unlessEmpty(
    integer('Messages after which a connection ends and another one is opened; 0 without a limit.', 0, 1_000_000),
  ),
  rate: unlessEmpty(decimal('Maximum messages a second, by all workers together; 0 without a limit.', 0, 1_000_000)),
  weight: unlessEmpty(
    decimal('Its share of the messages; 0 is a reserve, used while all with a weight rest.', 0, 1_000_000),
  ),
  warm_up: line('The ramp of a new relay, first:growth:max:date, such as 50:1.5:20000:2026-11-21.', 60).optional(),
  accounts: arrayOf('The ids of the accounts it is limited to; empty for all.', id('An account.'), 1_000).optional(),
  sender_domains: arrayOf(
    'The domains in From that it is limited to; empty for all.',
    text('A domain.', 255),
    1_000,
  ).optional(),
};

const presetParameter = unlessEmpty(
  oneOf('The service whose settings it begins with, from relayPresets().', presetNames),
);

const limits =
  'Messages of a sender that has relays limited to its account or domain take only those, even while they are paused; all ' +
  'others take the relays without limits.';

export const relayChangeMethods = [
  method({
    name: 'relayPresets',
    group: 'sending',
    summary: 'Returns presets of well-known services for relayCreate.',
    description: 'A host or user name in {braces} has a part to fill in.',
    params: params({}),
    returns: z.array(
      named(
        'RelayPreset',
        z.object({
          name: z.string(),
          title: z.string(),
          host: z.string(),
          port: z.int(),
          tls: z.enum(tlsPolicies),
          rate: z.number(),
          connections: z.int(),
          username: z.string(),
          hint: z.string().meta({ description: 'Where user name and password come from.' }),
        }),
      ),
    ),
    faults: [],
    scope: 'admin',
    reads: true,
    example: { params: {} },
    run: async ({ language }) =>
      presets.map(({ hint, ...preset }) => ({ ...preset, hint: renderMessage({ key: hint, values: {} }, language) })),
  }),
  method({
    name: 'relayCreate',
    group: 'sending',
    summary: 'Sets up a relay for this installation; returns its id. Only for the account of the operator.',
    description: `Workers use it within seconds, without a restart. With preset, members that are left out have the values of the service; all but postfix need a password. A host in a private network must be allowed in OUTBOUND_ALLOW. ${limits}`,
    params: params({
      preset: presetParameter,
      ...settings,
      paused: boolean('Whether it takes no messages before relayResume().').optional(),
    }),
    returns: z.string(),
    faults: ['NOT_ALLOWED', 'INVALID_PARAMETER'],
    scope: 'admin',
    operator: true,
    example: {
      params: { preset: 'sendgrid', password: 'SG.example', rate: 50, sender_domains: ['example.com'], paused: true },
    },
    confirm: () => true,
    prepare: checkHost,
    run: createRelay,
  }),
  method({
    name: 'relayUpdate',
    group: 'sending',
    summary: 'Changes a relay. Omitted values do not change.',
    description: `A password that is left out or empty is kept; for another host it must be given again. Messages in flight finish with the settings they began with. ${limits}`,
    params: params({ id: id('The relay.'), preset: presetParameter, ...settings }),
    returns: z.boolean(),
    faults: ['NOT_ALLOWED', 'INVALID_PARAMETER'],
    scope: 'admin',
    operator: true,
    example: { params: { id: '{{relay}}', rate: 20, weight: 2 } },
    confirm: (given) =>
      [given.host, given.port, given.tls, given.auth, given.username, given.password, given.oauth].some(
        (value) => value !== undefined,
      ),
    prepare: checkHost,
    run: (context, { id, ...options }) => updateRelay(context, id, options),
  }),
  method({
    name: 'relayTestSettings',
    group: 'sending',
    summary: 'Tests settings of a relay before they are saved. Only for the account of the operator.',
    description:
      'Takes the settings of relayCreate; with id, those of relayUpdate. Connects and signs in; nothing is saved or sent. The id in the answer is that of the relay, empty for a new one. With access tokens, settings for which a person signs in at the provider, or with a new refresh token, cannot be tested before: oauthEnd tests the relay when the person has signed in.',
    params: params({ id: id('The relay that they would change.').optional(), preset: presetParameter, ...settings }),
    returns: testOutcome,
    faults: ['NOT_ALLOWED', 'INVALID_PARAMETER'],
    scope: 'admin',
    operator: true,
    reads: true,
    example: { params: { host: 'smtp.example.com', port: 587, username: 'mailer', password: 'example' } },
    confirm: () => true,
    async prepare({ app, language }, { id, ...given }) {
      await checkHost({ app }, given);
      const { relay, token } = await relayToTest(app, id, given);
      const outcome = await testRelay(app, { relay }, token && onlyToken(token));
      return { ...outcome, id: id ?? '', problem: renderPacked(outcome.problem, language) };
    },
    run: async (_context, _params, outcome) => outcome,
  }),
  method({
    name: 'relayPause',
    group: 'sending',
    summary: 'Pauses a relay. Messages that are being sent finish.',
    params: params({ id: id('The relay.') }),
    returns: z.boolean(),
    faults: ['NOT_ALLOWED', 'INVALID_PARAMETER'],
    scope: 'admin',
    operator: true,
    example: { params: { id: '{{relay}}' } },
    run: (context, { id }) => pauseRelay(context, id, true),
  }),
  method({
    name: 'relayResume',
    group: 'sending',
    summary: 'Resumes a paused relay.',
    params: params({ id: id('The relay.') }),
    returns: z.boolean(),
    faults: ['NOT_ALLOWED', 'INVALID_PARAMETER'],
    scope: 'admin',
    operator: true,
    example: { params: { id: '{{relay}}' } },
    run: (context, { id }) => pauseRelay(context, id, false),
  }),
  method({
    name: 'relayDelete',
    group: 'sending',
    summary: 'Deletes a relay of the application. Messages in flight finish; the other relays take the rest.',
    description:
      'When it was the last one, nothing is sent until another is set up, or relayUseInbox() returns to the built-in inbox.',
    params: params({ id: id('The relay.') }),
    returns: z.boolean(),
    faults: ['NOT_ALLOWED', 'INVALID_PARAMETER'],
    scope: 'admin',
    operator: true,
    example: { params: { id: '{{relay}}' } },
    run: (context, { id }) => deleteRelay(context, id),
  }),
  method({
    name: 'relayOrderUpdate',
    group: 'sending',
    summary: 'Sets the order of the relays of the application. Reserves (weight 0) are used in this order.',
    params: params({ ids: arrayOf('All relays of the application, each once.', id('A relay.'), 100) }),
    returns: z.boolean(),
    faults: ['NOT_ALLOWED', 'INVALID_PARAMETER'],
    scope: 'admin',
    operator: true,
    example: { params: { ids: ['{{relay}}'] } },
    run: (context, { ids }) => orderRelays(context, ids),
  }),
  method({
    name: 'relayUseInbox',
    group: 'sending',
    summary: 'Switches back to the built-in inbox after the last relay was deleted.',
    params: params({}),
    returns: z.boolean(),
    faults: ['NOT_ALLOWED'],
    scope: 'admin',
    operator: true,
    example: { params: {} },
    run: useInbox,
  }),
];
