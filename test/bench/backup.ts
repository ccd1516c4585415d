// What a backup costs a campaign: `npm run bench -- backup [recipients] [rounds] [workers]`. Sends the same campaign in turns without a
// backup and with one that begins with it, through the command, as an operator runs it. Prints rates and CPU a message.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { draft, fill } from '../support/bench/letter.ts';
import { installPostfix, startSink } from '../support/bench/postfix.ts';
import { cpuOf } from '../support/bench/processes.ts';
import { postriderWith } from '../support/installation/commands.ts';
import { Installation } from '../support/installation/installation.ts';

await bench(Number(process.argv[2] ?? 50_000), Number(process.argv[3] ?? 3), Number(process.argv[4] ?? 2));

type Round = { rate: number; microseconds: number; backupSeconds: number };

async function bench(recipients: number, rounds: number, workers: number): Promise<void> {
  installPostfix();
  const sink = await startSink();
  const folder = mkdtempSync(join(tmpdir(), 'backup-bench-'));
  const file = join(folder, 'one.backup');
  const installation = new Installation({
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
    WORKERS: `${workers}`,
    CHROMIUM_PATH: 'none',
  });
  try {
    await installation.start();
    const list = await installation.call<string>('listCreate', { title: 'Everybody' });
    await fill(installation, list, recipients);
    const results = { without: [] as Round[], with: [] as Round[] };
    for (let n = 0; n < rounds; n++)
      for (const kind of ['without', 'with'] as const)
        results[kind].push(await send(installation, list, recipients, kind === 'with' ? file : undefined));
    const shown = (kind: keyof typeof results) =>
      results[kind].map(({ rate, microseconds }) => `${rate.toFixed(0)}/s (${microseconds.toFixed(0)} µs)`).join(', ');
    const best = (kind: keyof typeof results) => Math.max(...results[kind].map(({ rate }) => rate));
    console.log(
      [
        `${recipients} recipients, ${workers} workers; rate (CPU a message of workers, web and PostgreSQL) of each round`,
        `without a backup   ${shown('without')}`,
        `with one           ${shown('with')}`,
        `it took            ${results.with.map(({ backupSeconds }) => `${backupSeconds.toFixed(1)} s`).join(', ')}; ${(statSync(file).size / 1e6).toFixed(1)} MB`,
        `best rounds: ${((best('with') / best('without') - 1) * 100).toFixed(1)} %`,
      ].join('\n'),
    );
  } finally {
    await installation.remove();
    sink.stop();
    rmSync(folder, { recursive: true });
  }
}

async function send(installation: Installation, list: string, recipients: number, file?: string): Promise<Round> {
  const cid = await draft(installation, list);
  const used = () => {
    const { work, web, postgres } = cpuOf(installation);
    return work + web + postgres;
  };
  const before = used();
  const startedAt = performance.now();
  await installation.call('campaignSendNow', { cid });
  let backupSeconds = 0;
  const backup = file
    ? postriderWith(['backup', file], {
        DATA_DIR: installation.dataDir,
        BACKUP_PASSPHRASE: 'correct horse battery',
      }).then(({ code, errors }) => {
        if (code !== 0) throw new Error(errors);
        backupSeconds = (performance.now() - startedAt) / 1_000;
      })
    : undefined;
  for (;;) {
    const now = await installation.call<{ delivery_status: string }>('campaignProgress', { cid });
    if (now.delivery_status === 'sent') break;
    await sleep(250);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const microseconds = ((used() - before) * 1e6) / recipients;
  await backup;
  return { rate: recipients / seconds, microseconds, backupSeconds };
}
