// The token maker of this installation, made once per process from the installation's secret.
import type { App } from '../base/context.ts';
import { type TokenMaker, tokenMaker } from './tokens.ts';

const makers = new WeakMap<App, TokenMaker>();

export function tokensOf(app: App): TokenMaker {
  let maker = makers.get(app);
  if (!maker) {
    maker = tokenMaker([app.secret.toString('hex')]);
    makers.set(app, maker);
  }
  return maker;
}
