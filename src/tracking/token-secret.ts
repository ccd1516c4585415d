// The token maker of this installation, made from its present secrets. Call tokensOf at each use: the secrets change while a
// process runs. Message-IDs are made with the installation's secret, which never changes, also after it was revoked for links.
import type { App } from '../base/context.ts';
import { type TokenMaker, tokenMaker } from './tokens.ts';

const makers = new WeakMap<readonly string[], TokenMaker>();

export function tokensOf(app: App): TokenMaker {
  const secrets = app.tokenSecrets();
  let maker = makers.get(secrets);
  if (!maker) {
    maker = tokenMaker(secrets, app.secret.toString('hex'));
    makers.set(secrets, maker);
  }
  return maker;
}
