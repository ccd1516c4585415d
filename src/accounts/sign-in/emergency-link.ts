// The link that `postrider user link` prints: signs a user in without a password or an identity provider, for the case that
// the provider is down or its settings are wrong. And what PASSWORD_SIGN_IN=no refuses.
import type { App } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type From, startSession } from '../access/session.ts';
import { useLinkToken } from '../access/sign-in-link.ts';
import { noteAudit } from '../audit/audit.ts';

/** @throws Fault LINK_EXPIRED */
export async function signInByLink(app: App, token: string, from: From): Promise<string> {
  return app.db.transaction(async (tx) => {
    const used = await useLinkToken(tx, 'sign in', token);
    const session = used?.userId ? await startSession(tx, used.userId, from) : undefined;
    if (!used?.userId || !session) throw fault('LINK_EXPIRED', 'sign_in.link_over');
    const { accountId } = session;
    await noteAudit(tx, { accountId, userId: used.userId, door: 'web', method: 'signInLink', ip: from.ip });
    return session.token;
  });
}

/** @throws Fault NOT_ALLOWED */
export function needPasswordSignIn({ config }: Pick<App, 'config'>): void {
  if (config.passwordSignIn === 'no') throw fault('NOT_ALLOWED', 'sign_in.passwords_off');
}
