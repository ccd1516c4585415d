// A whole campaign over the whole program, as fast as it goes: `npm run bench -- delivery [recipients] [workers]`.
// 20 kB a message, 20 links, ten merge tags, tokens and outcomes for each recipient, real PostgreSQL, to postfix's
// smtp-sink; in the same run smtp-source (C, no database, the same octets to every recipient) and nodemailer's pool, alone and
// in as many processes as there are workers (composing each message, no database). Prints rates, ratios, CPU and memory, and
// the rate that this machine's cores and the single thread of smtp-sink allow, which a ratio to smtp-source hides.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { draft, fill, mailBytes } from '../support/bench/letter.ts';
import { nodemailers } from '../support/bench/nodemailer-pool.ts';
import { installPostfix, smtpSource, startSink } from '../support/bench/postfix.ts';
import { busySeconds, cpuOf, cpuOfProcesses, peakMegabytes } from '../support/bench/processes.ts';
import { Installation } from '../support/installation/installation.ts';

await bench(Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? availableParallelism()));

async function bench(recipients: number, workers: number): Promise<void> {
  installPostfix();
  const sink = await startSink();
  const installation = new Installation({
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
    WORKERS: `${workers}`,
    CHROMIUM_PATH: 'none',
  });
  try {
    const yardsticks: number[] = [await smtpSource(sink.port, 40_000)];
    const pool = await nodemailers(sink.port, 1, 6_000);
    const pools = workers > 1 ? await nodemailers(sink.port, workers, 6_000) : pool;
    await installation.start();
    const list = await installation.call<string>('listCreate', { title: 'Everybody' });
    await fill(installation, list, recipients);
    const cid = await draft(installation, list);
    const used = () => ({ ...cpuOf(installation), sink: cpuOfProcesses([sink.pid]), machine: busySeconds() });
    const before = used();
    const startedAt = performance.now();
    await installation.call('campaignSendNow', { cid });
    let launchedMs = 0;
    let highest = 0;
    let accepted = 0;
    for (;;) {
      const now = await installation.call<{ accepted: number; recipients: number; delivery_status: string }>(
        'campaignProgress',
        { cid },
      );
      if (launchedMs === 0 && now.delivery_status !== 'launching') launchedMs = performance.now() - startedAt;
      highest = Math.max(highest, ...installation.pids('work').map((pid) => peakMegabytes(pid)));
      accepted = now.accepted;
      if (now.delivery_status === 'sent') break;
      if (process.stderr.isTTY) process.stderr.write(`\r${accepted} of ${recipients} `);
      await sleep(250);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = used();
    if (accepted !== recipients) throw new Error(`${accepted} of ${recipients} were accepted`);
    yardsticks.push(await smtpSource(sink.port, 40_000));
    const source = Math.max(...yardsticks);
    const rate = recipients / seconds;
    const each = (part: keyof typeof after) => ((after[part] - before[part]) * 1e6) / recipients;
    const micros = (part: keyof typeof after) => `${each(part).toFixed(0)} µs`;
    const cores = availableParallelism();
    const byCores = (cores * 1e6) / each('machine');
    const bySink = 1e6 / each('sink');
    const own = each('work') + each('web') + each('postgres');
    console.log(
      [
        `${recipients} recipients, ${workers} workers, ${mailBytes / 1_000} kB a message`,
        `postrider, whole program   ${rate.toFixed(0).padStart(6)} messages/s (${seconds.toFixed(1)} s from the call to sent, of it ${(launchedMs / 1_000).toFixed(1)} s launch)`,
        `smtp-source, before/after  ${yardsticks.map((yardstick) => yardstick.toFixed(0).padStart(6)).join(' /')} messages/s`,
        `nodemailer pool, alone     ${pool.toFixed(0).padStart(6)} messages/s; ${workers} processes ${pools.toFixed(0)}`,
        `against smtp-source (best) ${(rate / source).toFixed(2)}   against nodemailer ${(rate / pool).toFixed(1)} times (all processes: ${(rate / pools).toFixed(1)})`,
        `CPU a message: workers ${micros('work')}, web ${micros('web')}, PostgreSQL ${micros('postgres')}, sink ${micros('sink')}, whole machine ${micros('machine')}`,
        `messages per CPU second    ${(1e6 / own).toFixed(0).padStart(6)} (workers, web and PostgreSQL)`,
        `limit on the rate          ${Math.min(byCores, bySink).toFixed(0).padStart(6)} messages/s (${cores} cores at the CPU of the whole machine ${byCores.toFixed(0)}, one thread of the sink ${bySink.toFixed(0)})`,
        `highest RSS of a worker: ${highest} MB`,
      ].join('\n'),
    );
  } finally {
    await installation.remove();
    sink.stop();
  }
}
