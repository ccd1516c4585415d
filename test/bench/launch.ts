// How soon a large campaign begins and how fast its audience is frozen: `npm run bench -- launch [recipients] [workers]`, by default a
// million. The whole program over a real PostgreSQL to smtp-sink, and then the same with the campaign paused as soon as
// its first message has left, so that freezing has the machine for itself. Prints both times beside the goal.
import { setTimeout as sleep } from 'node:timers/promises';
import { draft, fill } from '../support/bench/letter.ts';
import { installPostfix, startSink } from '../support/bench/postfix.ts';
import { cpuOf } from '../support/bench/processes.ts';
import { Installation } from '../support/installation/installation.ts';

const goalMs = 1_000;

await bench(Number(process.argv[2] ?? 1_000_000), Number(process.argv[3] ?? 2));

async function bench(recipients: number, workers: number): Promise<void> {
  installPostfix();
  const sink = await startSink();
  const installation = new Installation({
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
    WORKERS: `${workers}`,
    CHROMIUM_PATH: 'none',
  });
  try {
    await installation.start();
    const list = await installation.call<string>('listCreate', { title: 'Everybody' });
    await fill(installation, list, recipients);
    const lines = [`${recipients} recipients, ${workers} workers`];
    for (const isPaused of [false, true]) {
      const { firstMs, frozenMs, postgres } = await launch(installation, await draft(installation, list), isPaused);
      lines.push(
        `${isPaused ? 'paused after the first message' : 'while it is sent'}: first message after ${firstMs.toFixed(0)} ms (goal ${goalMs}), ` +
          `all frozen after ${(frozenMs / 1_000).toFixed(1)} s, ${((recipients * 1_000) / frozenMs).toFixed(0)} recipients/s, ` +
          `PostgreSQL ${((postgres * 1e6) / recipients).toFixed(1)} µs of CPU a recipient`,
      );
    }
    console.log(lines.join('\n'));
  } finally {
    await installation.remove();
    sink.stop();
  }
}

type Progress = { recipients: number; recipients_complete?: boolean; accepted: number; delivery_status: string };
type Launched = { firstMs: number; frozenMs: number; postgres: number };

/** Launches a campaign, and stops it when all is frozen. */
async function launch(installation: Installation, cid: string, isPaused: boolean): Promise<Launched> {
  const progress = () => installation.call<Progress>('campaignProgress', { cid });
  const cpu = cpuOf(installation).postgres;
  const startedAt = performance.now();
  await installation.call('campaignSendNow', { cid });
  let firstMs = 0;
  for (;;) {
    const now = await progress();
    if (firstMs === 0 && now.accepted > 0) {
      firstMs = performance.now() - startedAt;
      if (isPaused) await installation.call('campaignPause', { cid });
    }
    // Before there were portions, all were frozen when it was being sent.
    if (firstMs > 0 && now.recipients_complete !== false) break;
    await sleep(firstMs === 0 ? 20 : 100);
  }
  const frozenMs = performance.now() - startedAt;
  const postgres = cpuOf(installation).postgres - cpu;
  if (!isPaused) await installation.call('campaignPause', { cid });
  await stop(installation, cid);
  return { firstMs, frozenMs, postgres };
}

/** A worker may have messages in flight for some moments. */
async function stop(installation: Installation, cid: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    try {
      await installation.call('campaignStop', { cid });
      return;
    } catch (error) {
      if (tries === 49) throw error;
      await sleep(200);
    }
  }
}
