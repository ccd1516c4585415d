// The tokens of this installation: made and read with its secret. Kept apart so that every process makes the same ones.
import type { App } from '../base/context.ts';
import { type TokenMaker, tokenMaker } from './links.ts';

const makers = new WeakMap<App, TokenMaker>();

export function tokensOf(app: App): TokenMaker {
  let maker = makers.get(app);
  if (!maker) {
    maker = tokenMaker([app.secret.toString('hex')]);
    makers.set(app, maker);
  }
  return maker;
}
