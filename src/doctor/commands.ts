// The commands that look at an installation and change nothing.
import type { Command } from 'commander';
import { needDatabase } from '../command-line.ts';
import { type Config, readConfig } from '../config.ts';
import { exitCodeOf, type Finding, showFindings } from './finding.ts';

export function addDoctorCommands(program: Command): void {
  program
    .command('doctor')
    .description(
      'check settings, disk, database, clock, relays, DNS and backups, and say what to do; exit code 1 on a problem',
    )
    .option('--json', 'print the findings as JSON')
    .action(async ({ json }: { json?: true }) => show(await diagnose(), json));

  program
    .command('upgrade')
    .description('before an upgrade: what would be migrated, whether there is a backup, and enough space')
    .requiredOption('--check', 'only check; "postrider migrate" or the next start of "postrider serve" upgrades')
    .option('--json', 'print the findings as JSON')
    .action(async ({ json }: { json?: true }) => {
      const config = readConfig();
      const { connect } = await import('../db/connect.ts');
      const { checkUpgrade } = await import('./upgrade.ts');
      const db = connect(needDatabase(config), { name: 'postrider upgrade', maxConnections: 1 });
      try {
        show(await checkUpgrade(db, config), json);
      } finally {
        await db.close();
      }
    });
}

async function diagnose(): Promise<Finding[]> {
  const { examine, examineMachine, invalidSettings } = await import('./doctor.ts');
  const { checkReachable } = await import('./database.ts');
  const { problem } = await import('./finding.ts');
  let config: Config;
  let url: string;
  try {
    config = readConfig();
  } catch (error) {
    return invalidSettings(error as Error);
  }
  try {
    url = needDatabase(config);
  } catch (error) {
    return [
      ...(await examineMachine(config)),
      problem('database', (error as Error).message, 'Start "postrider serve".'),
    ];
  }
  const unreachable = await checkReachable(url);
  if (unreachable.length > 0) return [...(await examineMachine(config)), ...unreachable];
  const { openApp } = await import('../app.ts');
  const app = await openApp({ ...config, logLevel: 'silent' }, 'cli', url, 3);
  try {
    return await examine(app);
  } finally {
    await app.db.close();
  }
}

function show(findings: readonly Finding[], json: true | undefined): void {
  console.log(json ? JSON.stringify(findings, null, 2) : showFindings(findings));
  process.exitCode = exitCodeOf(findings);
}
