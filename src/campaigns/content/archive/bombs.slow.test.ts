// Archive bombs are measured in a separate process without permission to write files: peak memory and time.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { bzip2, paxRecord, pictures, tarHeader, tarOf, zipOf } from '../../../../test/support/builders/archives.ts';
import type { ArchiveType } from './unpack.ts';

const mib = 1024 * 1024;
const page = { name: 'index.html', body: '<p>' };
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'bombs-'));
});
after(() => rmSync(folder, { recursive: true }));

/** A tar that is one file of so many zeros, without a buffer of that size. */
const zeros = (name: string, size: number, type = '0') =>
  Buffer.concat([tarHeader({ name, type, size }, 0), Buffer.alloc(size)]);
const repeated = (piece: Buffer, size: number) => Buffer.alloc(Math.floor(size / piece.length) * piece.length, piece);

/** Every one is small, and would be huge or endless; each must be refused. */
const bombs: [string, ArchiveType, () => Buffer][] = [
  ['gzip 1:1029', 'tgz', () => gzipSync(zeros('a.png', 80 * mib))],
  ['gzip of zeros only', 'tgz', () => gzipSync(Buffer.alloc(80 * mib))],
  ['gzip after a sound end', 'tgz', () => gzipSync(Buffer.concat([tarOf([page]), Buffer.alloc(60 * mib)]))],
  ['bzip2 of 45 MB in 45 bytes', 'tbz', () => bzip2(Buffer.alloc(45_000_000))],
  ['bzip2 of that twenty times', 'tbz', () => repeated(bzip2(Buffer.alloc(45_000_000)), 1_000)],
  ['half a million tiny bzip2 streams', 'tbz', () => repeated(bzip2(Buffer.from('a')), 18 * mib)],
  ['half a million empty bzip2 streams', 'tbz', () => repeated(bzip2(Buffer.alloc(0)), 18 * mib)],
  ['a million tiny gzip members', 'tgz', () => repeated(gzipSync(Buffer.from('a')), 18 * mib)],
  ['zip of 80 MB', 'zip', () => zipOf([page, { name: 'a.png', body: Buffer.alloc(80 * mib) }])],
  [
    'zip that says it is small',
    'zip',
    () => zipOf([page, { name: 'a.png', body: Buffer.alloc(60 * mib), size: 1_000_000 }]),
  ],
  [
    'zip whose sum is too large',
    'zip',
    () => zipOf(Array.from({ length: 60 }, (_, i) => ({ name: `${i}.png`, body: Buffer.alloc(mib) }))),
  ],
  [
    'overlapping entries',
    'zip',
    () => {
      const kernel = { name: 'k.png', body: Buffer.alloc(900_000) };
      return zipOf([kernel, ...Array.from({ length: 1_900 }, (_, i) => ({ ...kernel, name: `${i}.png`, offset: 0 }))]);
    },
  ],
  [
    '42-like: zips in zips in zips',
    'zip',
    () => {
      let inner = zipOf([{ name: '0.dll', body: Buffer.alloc(4 * mib) }]);
      for (let depth = 0; depth < 4; depth++)
        inner = zipOf(Array.from({ length: 16 }, (_, i) => ({ name: `${i}.zip`, body: inner })));
      return inner;
    },
  ],
  ['4 GiB announced in zip', 'zip', () => zipOf([{ ...page, method: 8, size: 0xfffffffe }])],
  ['8 GiB announced in tar', 'tar', () => tarOf([{ ...page, size: 8 * 1024 * mib }])],
  ['8 EiB announced in tar', 'tar', () => tarOf([{ ...page, size: 2 ** 63 }])],
  [
    'a size announced in pax',
    'tar',
    () => tarOf([{ name: 'x', type: 'x', body: paxRecord('size', '99999999999') }, page]),
  ],
  ['65,000 entries', 'zip', () => zipOf(Array.from({ length: 65_000 }, (_, i) => ({ name: `${i}.html`, method: 0 })))],
  ['100,000 empty folders', 'tgz', () => gzipSync(repeated(tarHeader({ name: 'a/', type: '5' }, 0), 50 * mib))],
  ['a pax header of 48 MiB', 'tgz', () => gzipSync(zeros('x', 48 * mib, 'x'))],
  ['a long name of 48 MiB', 'tgz', () => gzipSync(zeros('x', 48 * mib, 'L'))],
  ['sparse file', 'tar', () => tarOf([{ name: 'a.png', type: 'S', size: 2 ** 40 }])],
  [
    'style sheets that multiply',
    'zip',
    () => {
      const css = '@import "a.css";@import "b.css";'.repeat(500);
      return zipOf([
        { ...page, body: '<style>@import "a.css";</style>' },
        { name: 'a.css', body: css },
        { name: 'b.css', body: css },
      ]);
    },
  ],
  ['a page of 19 MiB', 'zip', () => zipOf([{ ...page, method: 0, body: Buffer.alloc(19 * mib, '<a href=x>') }])],
];

type Measure = { name: string; ok: boolean; reason: string; ms: number; maxMb: number };

/** Reads each archive in one fresh process, and measures how far its memory rose above what it was before. */
async function measure(list: { name: string; type: ArchiveType; file: string }[], atOnce: boolean): Promise<Measure[]> {
  const script = `
    import { readFileSync } from 'node:fs';
    const { readArchive } = await import(${JSON.stringify(new URL('../read-archive.ts', import.meta.url).href)});
    const list = ${JSON.stringify(list)}.map((bomb) => ({ ...bomb, bytes: readFileSync(bomb.file) }));
    const sound = Buffer.from(${JSON.stringify(zipOf([page]).toString('base64'))}, 'base64');
    for (let i = 0; i < 3; i++) await readArchive(sound, 'zip', '');
    const rss = () => process.memoryUsage.rss() / 1e6;
    const run = async ({ name, type, bytes }) => {
      gc();
      const before = rss();
      let most = before;
      const timer = setInterval(() => { most = Math.max(most, rss()); }, 1);
      const start = process.cpuUsage();
      const result = await readArchive(bytes, type, '');
      const { user, system } = process.cpuUsage(start);
      // Of the processor, so that other work on the machine does not count.
      const ms = (user + system) / 1_000;
      most = Math.max(most, rss());
      clearInterval(timer);
      return { name, ok: result.ok, reason: result.reason?.key ?? '', ms, maxMb: most - before };
    };
    const results = [];
    if (${atOnce}) results.push(...await Promise.all(list.map(run)));
    else for (const bomb of list) results.push(await run(bomb));
    console.log(JSON.stringify(results));`;
  // Without leave to write anywhere: whatever would write a file fails.
  const args = [
    '--permission',
    '--allow-fs-read=*',
    '--allow-worker',
    '--expose-gc',
    '--input-type=module',
    '-e',
    script,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: mib, cwd: folder });
  return JSON.parse(stdout) as Measure[];
}

function write(list: typeof bombs) {
  return list.map(([name, type, make], i) => {
    const file = join(folder, `bomb${i}`);
    writeFileSync(file, make());
    return { name, type, file };
  });
}

test('no bomb takes more than 64 MB and 2 s, and none leaves a file', async () => {
  const files = write(bombs);
  const results = await measure(files, false);
  for (const { name, ok, ms, maxMb } of results) {
    assert.equal(ok, false, name);
    assert.ok(maxMb < 64, `${name}: ${Math.round(maxMb)} MB`);
    assert.ok(ms < 2_000, `${name}: ${Math.round(ms)} ms of the processor`);
  }
  assert.equal(readdirSync(folder).length, files.length);
});

test('F82: fifty bombs at once are unpacked in turn and stay below 256 MB', async () => {
  const few = bombs.filter(([name]) => /gzip 1:|overlapping|pax header|45 MB in|says it is small/.test(name));
  const files = write(few);
  const results = await measure(
    Array.from({ length: 50 }, (_, i) => files[i % files.length]!),
    true,
  );
  assert.equal(results.length, 50);
  assert.ok(results.every(({ ok }) => !ok));
  const most = Math.max(...results.map(({ maxMb }) => maxMb));
  assert.ok(most < 256, `${Math.round(most)} MB`);
});

test('an archive just within the limits is read, with memory and time in proportion to its content', async () => {
  // Repeats that compress to about a hundredth: no bomb, but 48 MiB of pictures.
  const picture = (seed: string) =>
    Buffer.concat([pictures.png, Buffer.alloc(24 * mib, randomBytes(16_384)), Buffer.from(seed)]);
  const body = '<img src=a.png><img src=b.png>';
  const entries = [
    { name: 'index.html', body },
    { name: 'a.png', body: picture('a') },
    { name: 'b.png', body: picture('b') },
  ];
  const full: typeof bombs = [
    ['full zip', 'zip', () => zipOf(entries)],
    ['full tar.gz', 'tgz', () => gzipSync(tarOf(entries))],
  ];
  for (const { name, ok, reason, maxMb } of await measure(write(full), false)) {
    assert.equal(ok, true, `${name}: ${reason}`);
    assert.ok(maxMb < 96, `${name}: ${Math.round(maxMb)} MB`);
  }
});
