// The token maker of this installation, made once per process from its present secrets.
import type { App } from '../base/context.ts';
import { type TokenMaker, tokenMaker } from './tokens.ts';

const makers = new WeakMap<readonly string[], TokenMaker>();

export function tokensOf(app: App): TokenMaker {
  const secrets = app.tokenSecrets();
  let maker = makers.get(secrets);
  if (!maker) {
    maker = tokenMaker(secrets);
    makers.set(secrets, maker);
  }
  return maker;
}
