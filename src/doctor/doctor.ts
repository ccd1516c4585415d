// `postrider doctor`: looks at everything that a working installation needs, and says what to do. Reads only, apart from the
// connections to relays and the questions to name servers. A check that fails itself is a finding, too.
import { availableParallelism } from 'node:os';
import type { App } from '../base/context.ts';
import type { Config } from '../config.ts';
import { checkArchive } from './archive.ts';
import {
  checkBackups,
  checkClock,
  checkConnection,
  checkJobs,
  checkSchema,
  checkSending,
  checkServer,
} from './database.ts';
import { type Finding, problem } from './finding.ts';
import { checkDisks, checkFiles, checkSettings } from './machine.ts';
import { checkBounces, checkDomains, checkRelays } from './mail.ts';
import { checkMoves } from './moves.ts';
import { checkStandby } from './standby.ts';

/** Invalid settings, a line each, as findings: with these, nothing else can be looked at. */
export function invalidSettings(error: Error): Finding[] {
  const lines = error.message.split('\n').slice(1);
  return (lines.length > 0 ? lines : [error.message]).map((line) =>
    problem('settings', line.trim(), 'Correct it; "postrider --help" lists all settings.'),
  );
}

/** Without a database that can be used. */
export async function examineMachine(config: Config): Promise<Finding[]> {
  return [...checkSettings(config, undefined), ...(await checkDisks(config)), ...(await checkFiles(config))];
}

/** Everything. */
export async function examine(app: App, timeScale = 1): Promise<Finding[]> {
  const { config, db } = app;
  const workers = config.workers || availableParallelism();
  const checks: [string, () => Promise<Finding | Finding[]>][] = [
    ['settings', async () => checkSettings(config, app.baseUrl)],
    ['disk', () => checkDisks(config)],
    ['files', () => checkFiles(config)],
    ['database', () => checkServer(db, workers)],
    ['database', () => checkConnection(db)],
    ['standby', () => checkStandby(db, config, timeScale)],
    ['schema', () => checkSchema(db)],
    ['clock', () => checkClock(db)],
    ['sending', () => checkSending(db, config)],
    ['moves', () => checkMoves(db)],
    ['relays', () => checkRelays(app, timeScale)],
    ['dns', () => checkDomains(app)],
    ['dns', () => checkBounces(app)],
    ['backup', () => checkBackups(db, config)],
    ['archive', () => checkArchive(db)],
    ['jobs', () => checkJobs(db)],
  ];
  const findings: Finding[] = [];
  for (const [name, check] of checks) {
    try {
      findings.push(...[await check()].flat());
    } catch (error) {
      findings.push(
        problem(
          name,
          `The check failed: ${(error as Error).message}`,
          'Run the check again. If it fails again, report a bug.',
        ),
      );
    }
  }
  return findings;
}
