// The methods of the second factor of the person who is signed in. Setting one up takes two calls, so that no one is
// locked out by a picture that was not read; both setting up and removing end the person's other sessions.
import { renderSVG } from 'uqr';
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { method } from '../../method/method.ts';
import { params, text } from '../../method/params.ts';
import { forgetTries, takeTry, triesOf, tryLimits } from './attempts.ts';
import { beginSecondFactor, confirmSecondFactor, removeSecondFactor, useSecondFactor } from './second-factor.ts';
import { endOtherSessions } from './session.ts';
import { confirmPassword, personOf } from './session-methods.ts';
import { base32, otpauthAddress } from './totp.ts';

const code = (description: string) => text(description, 40);

export const secondFactorMethods = [
  method({
    name: 'totpBegin',
    group: 'account',
    summary: 'Begins a second factor for the person who is signed in; totpConfirm() switches it on.',
    description:
      'The secret is shown this once. A second call before the confirmation makes a new one, which replaces the first.',
    params: params({ password: text('The password of the user.', 1_000) }),
    returns: z.object({
      secret: z.string().meta({ description: 'For typing it in, in base 32.' }),
      uri: z.string().meta({ description: 'The otpauth: address that authenticators understand.' }),
      qr: z.string().meta({ description: 'The address as a picture: a data: address of an SVG.' }),
    }),
    faults: ['CODE_INVALID', 'PASSWORD_INVALID', 'TOO_MANY_CALLS'],
    scope: 'read',
    person: true,
    example: { params: { password: '{{password}}' } },
    prepare: (context, { password }) => confirmPassword(context, password, 'password'),
    async run({ app, caller, tx }, _params, person) {
      const { userId } = personOf(caller);
      if (await isConfirmed(tx, userId)) throw fault('CODE_INVALID', 'second_factor.exists');
      const secret = await beginSecondFactor(app, tx, userId);
      const uri = otpauthAddress(secret, 'Postrider', person.email);
      const svg = renderSVG(uri, { ecc: 'M', border: 4 });
      return { secret: base32(secret), uri, qr: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` };
    },
  }),
  method({
    name: 'totpConfirm',
    group: 'account',
    summary: 'Turns the second factor on with its first code and returns recovery codes, which are shown only once.',
    description: 'Each recovery code replaces a code once. The other sessions of the user end.',
    params: params({ code: code('The six digits shown by the authenticator.') }),
    returns: z.array(z.string()),
    faults: ['CODE_INVALID', 'TOO_MANY_CALLS'],
    scope: 'read',
    person: true,
    example: { params: { code: '{{totp}}' } },
    prepare: countCode,
    async run({ app, caller, tx }, { code: given }) {
      const person = personOf(caller);
      const codes = await confirmSecondFactor(app, tx, person.userId, given);
      if (!codes) throw fault('CODE_INVALID', 'second_factor.not_confirmed', { member: 'code' });
      await endOtherSessions(tx, person.userId, person.sessionId);
      await forgetTries(tx, triesOf.code(person.userId));
      return codes;
    },
  }),
  method({
    name: 'totpRemove',
    group: 'account',
    summary: 'Removes the second factor of the signed-in user; needs the password and a code.',
    description: 'A recovery code works too. The other sessions of the user end.',
    params: params({
      password: text('The password of the user.', 1_000),
      code: code('A code of the authenticator, or a recovery code.'),
    }),
    returns: z.boolean(),
    faults: ['CODE_INVALID', 'PASSWORD_INVALID', 'TOO_MANY_CALLS'],
    scope: 'read',
    person: true,
    example: { params: { password: '{{password}}', code: '{{recovery}}' } },
    async prepare(context, { password }) {
      await confirmPassword(context, password, 'password');
      await countCode(context);
    },
    async run({ app, caller, tx }, { code: given }) {
      const person = personOf(caller);
      if (!(await useSecondFactor(app, tx, person.userId, given)))
        throw fault('CODE_INVALID', 'second_factor.wrong_code', { member: 'code' });
      await removeSecondFactor(tx, person.userId);
      await endOtherSessions(tx, person.userId, person.sessionId);
      await forgetTries(tx, triesOf.code(person.userId));
      return true;
    },
  }),
];

/** @throws Fault TOO_MANY_CALLS: there are only a million codes to guess */
async function countCode({ app, caller }: Pick<Context, 'app' | 'caller'>): Promise<undefined> {
  const seconds = await takeTry(app.db, triesOf.code(personOf(caller).userId), tryLimits.byAddress);
  if (seconds !== undefined)
    throw new Fault(
      'TOO_MANY_CALLS',
      message('sign_in.too_many_attempts', { minutes: Math.ceil(seconds / 60) }),
      seconds,
    );
}

async function isConfirmed(tx: Queries, userId: number): Promise<boolean> {
  const row = await tx.row<{ confirmed: boolean }>(sql`
    select totp_confirmed_at is not null as confirmed
    from app_user
    where id = ${userId}
    for update`);
  return row?.confirmed ?? false;
}
