// The methods of a signed-in user about identity providers: which are connected, and removing one. Connecting sends the
// browser to the provider, so it begins at the session door (src/doors/oidc).
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { params, text } from '../../method/params.ts';
import { listIdentities, removeIdentity } from './identity.ts';

export const identityMethods = [
  method({
    name: 'identities',
    group: 'sign-in',
    summary: 'Lists the identity providers of the installation, and which of them the signed-in user has connected.',
    description:
      'A provider that is no longer in the settings is listed with an empty provider as long as the user is connected to it.',
    params: params({}),
    returns: z.object({
      has_password: z.boolean().meta({ description: 'Whether the user has a password.' }),
      password_sign_in: z.boolean().meta({ description: 'Whether users sign in with passwords here.' }),
      providers: z.array(
        z.object({
          provider: z.string(),
          label: z.string(),
          issuer: z.string(),
          redirect_uri: z.string().meta({ description: 'What is registered at the provider.' }),
          connected: z.boolean(),
          email: z.string().meta({ description: 'The verified address that the provider gave at the last sign-in.' }),
          created_at: z.string(),
          last_used_at: z.string(),
        }),
      ),
    }),
    faults: [],
    scope: 'read',
    narrowed: true,
    reads: true,
    person: true,
    example: { params: {} },
    run: listIdentities,
  }),
  method({
    name: 'identityDelete',
    group: 'sign-in',
    summary: 'Disconnects the signed-in user from an identity provider.',
    description: 'Refused when the user could no longer sign in. Sessions that the provider started continue.',
    params: params({ issuer: text('The issuer, as identities() returns it.', 1_000) }),
    returns: z.boolean(),
    faults: ['IDENTITY_UNKNOWN', 'IDENTITY_NEEDED'],
    scope: 'read',
    narrowed: true,
    person: true,
    confirm: () => true,
    example: { params: { issuer: '{{identity}}' } },
    run: removeIdentity,
  }),
];
