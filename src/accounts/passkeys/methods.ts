// The methods of a signed-in user about passkeys. Signing in with one is at the session door (src/doors/passkeys).
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { id, line, params, text } from '../../method/params.ts';
import {
  addPasskey,
  beginPasskey,
  listPasskeys,
  maxPasskeys,
  preparePasskey,
  removePasskey,
  renamePasskey,
} from './passkey.ts';

const named = line('A name by which the user recognises the passkey.', 100);

export const passkeyMethods = [
  method({
    name: 'passkeys',
    group: 'sign-in',
    summary: 'Lists the passkeys of the signed-in user.',
    params: params({}),
    returns: z.object({
      available: z.boolean().meta({
        description:
          'Whether passkeys can be used here: BASE_URL needs a host name under https, and PASSWORD_SIGN_IN must be yes.',
      }),
      passkeys: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          synced: z.boolean().meta({ description: 'Whether a password manager keeps it on several devices.' }),
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
    run: listPasskeys,
  }),
  method({
    name: 'passkeyBegin',
    group: 'sign-in',
    summary: 'Starts registering a passkey for the signed-in user; finish with passkeyCreate().',
    description: `Returns, as JSON, the options that the browser takes to make one (PublicKeyCredentialCreationOptionsJSON). They are valid for five minutes and once, in this session. A user has at most ${maxPasskeys} passkeys.`,
    params: params({}),
    returns: z.string(),
    faults: ['NOT_ALLOWED', 'PASSKEY_INVALID'],
    scope: 'read',
    narrowed: true,
    person: true,
    confirm: () => true,
    example: { params: {} },
    run: beginPasskey,
  }),
  method({
    name: 'passkeyCreate',
    group: 'sign-in',
    summary: 'Stores the passkey that the browser made and returns its id.',
    params: params({
      name: named,
      response: text('The answer of the browser as JSON (RegistrationResponseJSON).', 12_000),
    }),
    returns: z.string(),
    faults: ['NOT_ALLOWED', 'PASSKEY_INVALID'],
    scope: 'read',
    narrowed: true,
    person: true,
    confirm: () => true,
    example: { params: { name: 'Laptop', response: '{{passkey_response}}' } },
    prepare: preparePasskey,
    run: addPasskey,
  }),
  method({
    name: 'passkeyUpdate',
    group: 'sign-in',
    summary: 'Renames a passkey of the signed-in user.',
    params: params({ id: id('The id, as passkeys() returns it.'), name: named }),
    returns: z.boolean(),
    faults: ['PASSKEY_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    person: true,
    example: { params: { id: '{{passkey}}', name: 'Phone' } },
    run: renamePasskey,
  }),
  method({
    name: 'passkeyDelete',
    group: 'sign-in',
    summary: 'Removes a passkey of the signed-in user; it can no longer be used to sign in.',
    description: 'Refused when the user could no longer sign in. Sessions continue.',
    params: params({ id: id('The id, as passkeys() returns it.') }),
    returns: z.boolean(),
    faults: ['PASSKEY_UNKNOWN', 'IDENTITY_NEEDED'],
    scope: 'read',
    narrowed: true,
    person: true,
    confirm: () => true,
    example: { params: { id: '{{passkey}}' } },
    run: removePasskey,
  }),
];
