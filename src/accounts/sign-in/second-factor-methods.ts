// The methods of the second factor of the signed-in user.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { params, text } from '../../method/params.ts';
import {
  beginSetup,
  confirmSetup,
  countCode,
  prepareRemoval,
  prepareSetup,
  removeWithCode,
} from './second-factor-setup.ts';

const code = (description: string) => text(description, 40);

export const secondFactorMethods = [
  method({
    name: 'totpBegin',
    group: 'sign-in',
    summary: 'Begins a second factor for the person who is signed in; totpConfirm() switches it on.',
    description:
      'The secret is shown this once. A second call before the confirmation makes a new one, which replaces the first.',
    params: params({ password: text('The password of the user.', 1_000) }),
    returns: z.object({
      secret: z.string().meta({ description: 'For typing it in, in base 32.' }),
      uri: z.string().meta({ description: 'The otpauth: address that authenticators understand.' }),
      qr: z.string().meta({ description: 'The address as an image: a data: URL of an SVG.' }),
    }),
    faults: ['CODE_INVALID', 'PASSWORD_INVALID', 'TOO_MANY_CALLS'],
    scope: 'read',
    narrowed: true,
    person: true,
    example: { params: { password: '{{password}}' } },
    prepare: prepareSetup,
    run: beginSetup,
  }),
  method({
    name: 'totpConfirm',
    group: 'sign-in',
    summary: 'Turns the second factor on with its first code and returns recovery codes, which are shown only once.',
    description: 'Each recovery code replaces a code once. The other sessions of the user end.',
    params: params({ code: code('The six digits shown by the authenticator.') }),
    returns: z.array(z.string()),
    faults: ['CODE_INVALID', 'TOO_MANY_CALLS'],
    scope: 'read',
    narrowed: true,
    person: true,
    example: { params: { code: '{{totp}}' } },
    prepare: countCode,
    run: confirmSetup,
  }),
  method({
    name: 'totpDelete',
    group: 'sign-in',
    summary: 'Removes the second factor of the signed-in user; needs the password and a code.',
    description: 'A recovery code works too. The other sessions of the user end.',
    params: params({
      password: text('The password of the user.', 1_000),
      code: code('A code of the authenticator, or a recovery code.'),
    }),
    returns: z.boolean(),
    faults: ['CODE_INVALID', 'PASSWORD_INVALID', 'TOO_MANY_CALLS'],
    scope: 'read',
    narrowed: true,
    person: true,
    example: { params: { password: '{{password}}', code: '{{recovery}}' } },
    prepare: prepareRemoval,
    run: removeWithCode,
  }),
];
