// A process that runs the clean-up rules again and again, for tests that kill it: node clean-up-runner.ts URL.
import { cleanUpContacts } from '../../../src/audience/clean-up/run.ts';
import { appOn } from './app.ts';

const app = await appOn(process.argv[2]!);
for (;;) await cleanUpContacts({ app, signal: new AbortController().signal });
