// A process that reminds pending contacts again and again, for tests that kill it: node reminder-runner.ts URL.
import { remindPending } from '../../../src/audience/signup/reminders.ts';
import { appOn } from './app.ts';

const app = await appOn(process.argv[2]!);
for (;;) await remindPending({ app, signal: new AbortController().signal });
