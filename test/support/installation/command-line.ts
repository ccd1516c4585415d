// An installation, and the commands that its operator runs beside it.
import { after, before } from 'node:test';
import { postriderWith } from './commands.ts';
import { Installation } from './installation.ts';

export { type Ended, root, run } from './commands.ts';

export let installation: Installation;
before(async () => {
  installation = new Installation({ LOG_LEVEL: 'warn' });
  await installation.start();
});
after(() => installation.remove());

/** Runs a command of the program on the installation's data. */
export const postrider = (args: string[], environment: Record<string, string> = {}) =>
  postriderWith(args, { DATA_DIR: installation.dataDir, ...environment });
