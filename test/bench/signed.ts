// Signed mail over the whole program: `npm run bench -- signed [recipients] [workers] [rounds]`. The campaign of
// test/bench/delivery.ts unsigned, signed with RSA-2048, and with RSA-2048 and Ed25519, in turn, to one smtp-sink, and
// nodemailer's pool with and without DKIM. The ceiling is what this machine could do at most: its cores divided by the time of
// the signatures (openssl speed) and the CPU time of an unsigned message in all processes, those of the sink included.
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { draft, fill, inDatabase } from '../support/bench/letter.ts';
import { nodemailers } from '../support/bench/nodemailer-pool.ts';
import { installPostfix, startSink } from '../support/bench/postfix.ts';
import { cpuOf, cpuOfProcesses, type Part } from '../support/bench/processes.ts';
import { Installation } from '../support/installation/installation.ts';

type Used = Record<Part | 'sink', number>;
type Run = { rate: number; cpuUs: Used };
type SignatureUs = { rsa: number; ed25519: number };

const parts = ['work', 'web', 'postgres', 'sink'] as const;
const kinds = ['unsigned', 'rsa', 'both'] as const;
type Kind = (typeof kinds)[number];
const titles: Record<Kind, string> = { unsigned: 'unsigned', rsa: 'RSA-2048', both: 'RSA-2048 and Ed25519' };
const goal = 0.85;
let sent = 0;

await bench(
  Number(process.argv[2] ?? 20_000),
  Number(process.argv[3] ?? availableParallelism()),
  Number(process.argv[4] ?? 3),
);

async function bench(recipients: number, workers: number, rounds: number): Promise<void> {
  installPostfix();
  const sink = await startSink();
  const installation = new Installation({
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
    WORKERS: `${workers}`,
    // Nothing answers there: the domains of the benchmark stay active.
    DNS_SERVERS: '127.0.0.1:9',
  });
  try {
    const before = signatureUs();
    const pool = { unsigned: await nodemailers(sink.port, workers, 3_000), signed: 0 };
    pool.signed = await nodemailers(sink.port, workers, 2_000, true);
    await installation.start();
    const list = await installation.call<string>('listCreate', { title: 'Everybody' });
    await fill(installation, list, recipients);
    await addDomains(installation);
    const used = (): Used => ({ ...cpuOf(installation), sink: cpuOfProcesses([sink.pid]) });
    await send(installation, list, 'both', recipients, used);
    const runs: Record<Kind, Run[]> = { unsigned: [], rsa: [], both: [] };
    for (let round = 0; round < rounds; round++) {
      // Each kind is first, second and last as often as the others.
      for (const i of [0, 1, 2]) {
        const kind = kinds[(round + i) % kinds.length]!;
        runs[kind].push(await send(installation, list, kind, recipients, used));
      }
    }
    const after = signatureUs();
    const best = { rsa: Math.min(before.rsa, after.rsa), ed25519: Math.min(before.ed25519, after.ed25519) };
    print(`${recipients} recipients, ${workers} workers, ${rounds} rounds`, runs, best, pool);
  } finally {
    await installation.remove();
    sink.stop();
  }
}

function print(title: string, runs: Record<Kind, Run[]>, signature: SignatureUs, pool: Record<string, number>): void {
  const cores = availableParallelism();
  const unsignedUs = totalUs(runs.unsigned);
  const signingUs: Record<Kind, number> = {
    unsigned: 0,
    rsa: signature.rsa,
    both: signature.rsa + signature.ed25519,
  };
  console.log(`${title}, ${cores} cores`);
  console.log(`one signature: RSA-2048 ${signature.rsa.toFixed(0)} µs, Ed25519 ${signature.ed25519.toFixed(0)} µs`);
  console.table(
    Object.fromEntries(
      kinds.map((kind) => {
        const rate = median(runs[kind].map((run) => run.rate));
        const minUs = unsignedUs + signingUs[kind];
        const ceiling = (cores * 1e6) / minUs;
        return [
          titles[kind],
          {
            'messages/s': Math.round(rate),
            ceiling: Math.round(ceiling),
            'of ceiling': share(rate / ceiling),
            ...Object.fromEntries(parts.map((part) => [`${part} µs`, Math.round(meanUs(runs[kind], part))])),
            'CPU µs': Math.round(totalUs(runs[kind])),
            // The same without the time in which a core had nothing to do, or other programs to run.
            'of ceiling by CPU': share(minUs / totalUs(runs[kind])),
          },
        ];
      }),
    ),
  );
  const rate = (kind: Kind) => median(runs[kind].map((run) => run.rate));
  console.log(
    [
      `nodemailer's pools: unsigned ${pool['unsigned']!.toFixed(0)} messages/s, with RSA-2048 ${pool['signed']!.toFixed(0)}`,
      `against nodemailer: unsigned ${(rate('unsigned') / pool['unsigned']!).toFixed(1)} times, with RSA-2048 ${(rate('rsa') / pool['signed']!).toFixed(1)}`,
      `goal: ${goal} of the ceiling`,
    ].join('\n'),
  );
}

/** Microseconds of a signature: of openssl, or of Node.js where that is not installed. */
function signatureUs(): SignatureUs {
  const { stdout } = spawnSync('openssl', ['speed', '-seconds', '2', 'rsa2048', 'ed25519'], { encoding: 'utf8' });
  const rsa = /^rsa +2048 bits +\S+ +\S+ +([\d.]+)/m.exec(stdout ?? '');
  const ed25519 = /\(Ed25519\) +\S+ +\S+ +([\d.]+)/.exec(stdout ?? '');
  if (rsa && ed25519) return { rsa: 1e6 / Number(rsa[1]), ed25519: 1e6 / Number(ed25519[1]) };
  const data = Buffer.alloc(1_000);
  const cost = (key: Parameters<typeof sign>[2], algorithm: string | null) => {
    const cpu = process.cpuUsage();
    for (let i = 0; i < 2_000; i++) sign(algorithm, data, key);
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 2_000;
  };
  return {
    rsa: cost(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'sha256'),
    ed25519: cost(generateKeyPairSync('ed25519').privateKey, null),
  };
}

async function addDomains(installation: Installation): Promise<void> {
  for (const kind of ['rsa', 'both']) await installation.call('senderDomainCreate', { domain: domainOf(kind) });
  await inDatabase(installation, async (client) => {
    await client.query('update sender_domain set active = true');
    await client.query(
      `update sender_domain_key k set published = true
       from sender_domain d
       where d.account_id = k.account_id and d.id = k.domain_id and (d.domain = $1 or k.algorithm = 'rsa-sha256')`,
      [domainOf('both')],
    );
  });
}

function domainOf(kind: string): string {
  return `${kind}.signed.example`;
}

/** Sends one campaign. It is refused or pauses where it would not be signed as it should. */
async function send(
  installation: Installation,
  list: string,
  kind: Kind,
  recipients: number,
  used: () => Used,
): Promise<Run> {
  const title = `${titles[kind]}, ${sent++}`;
  const cid = await draft(installation, list, {
    title,
    sender: `editors@${domainOf(kind)}`,
    authenticate: kind !== 'unsigned',
  });
  const before = used();
  const startedAt = performance.now();
  await installation.call('campaignSendNow', { cid });
  // The calls of a key are limited to some hundred a minute, too few to see the end in time.
  await inDatabase(installation, async (client) => {
    for (let status = ''; status !== 'sent'; await sleep(20)) {
      const { rows } = await client.query('select status from campaign where title = $1', [title]);
      status = rows[0].status;
      if (status === 'paused') throw new Error(`the campaign ${titles[kind]} was paused`);
    }
  });
  const rate = (recipients * 1_000) / (performance.now() - startedAt);
  const after = used();
  const { accepted } = await installation.call<{ accepted: number }>('campaignProgress', { cid });
  if (accepted !== recipients) throw new Error(`${accepted} of ${recipients} were accepted`);
  const cpuUs = Object.fromEntries(
    parts.map((part) => [part, ((after[part] - before[part]) * 1e6) / recipients]),
  ) as Used;
  return { rate, cpuUs };
}

function meanUs(runs: readonly Run[], part: Part | 'sink'): number {
  return runs.reduce((sum, { cpuUs }) => sum + cpuUs[part], 0) / runs.length;
}

function totalUs(runs: readonly Run[]): number {
  return parts.reduce((sum, part) => sum + meanUs(runs, part), 0);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function share(part: number): number {
  return Math.round(part * 100) / 100;
}
