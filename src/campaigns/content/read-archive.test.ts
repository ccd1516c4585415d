import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  paxRecord,
  pictures,
  type TarEntry,
  tarHeader,
  tarOf,
  withPrograms,
  type ZipEntry,
  zipOf,
} from '../../../test/support/builders/archives.ts';
import { runs, sample, slowTest } from '../../../test/support/run/runs.ts';
import { renderMessage } from '../../base/messages.ts';
import { ArchiveRefusal, archiveLimits } from './archive/limits.ts';
import { type ArchiveType, archiveTypes, unpack } from './archive/unpack.ts';
import { readArchive } from './read-archive.ts';

const pageHtml = '<!DOCTYPE html><img src="bilder/käse.png"><link rel="stylesheet" href="css/a.css">';
const expectedHtml =
  '<!DOCTYPE html><img src="https://a.example/6b7fa434f92a8b80aab02d9bf1a12e49.png"><style type="text/css">\np{}\n</style>';
const read = (input: string | Uint8Array, type: ArchiveType, limits = archiveLimits) =>
  readArchive(input, type, 'https://a.example/', limits);

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'archive-'));
  mkdirSync(join(folder, 'mail/bilder'), { recursive: true });
  mkdirSync(join(folder, 'mail/css'));
  writeFileSync(join(folder, 'mail/index.html'), pageHtml);
  writeFileSync(join(folder, 'mail/css/a.css'), 'p{}');
  writeFileSync(join(folder, 'mail/bilder/käse.png'), pictures.png);
  writeFileSync(join(folder, 'mail/notes.txt'), 'for us only\n'.repeat(500));
});
after(() => rmSync(folder, { recursive: true }));

function shell(command: string, cwd = join(folder, 'mail')): Buffer {
  return execFileSync('bash', ['-o', 'pipefail', '-c', command], { cwd, maxBuffer: 100_000_000, env: withPrograms });
}
const python = (script: string, cwd = join(folder, 'mail')) =>
  execFileSync('python3', ['-c', script], { cwd, maxBuffer: 100_000_000 });

/** Ways to make a sound archive: each tool that people use, each of its forms. */
const usual: [string, ArchiveType, () => Buffer][] = [
  ...['', '-0', '-9', '-fd', '-X', '-l', '-fz', '-Z store', '-UN=UTF8'].map(
    (options): [string, ArchiveType, () => Buffer] => [
      `zip ${options}`,
      'zip',
      () => {
        const name = join(folder, `made${options.replace(/\W/g, '')}.zip`);
        shell(`zip -q -r ${options} ${name} .`);
        return readFileSync(name);
      },
    ],
  ),
  ...['ZIP_STORED', 'ZIP_DEFLATED'].flatMap((method) =>
    [false, true].map((zip64): [string, ArchiveType, () => Buffer] => [
      `python zipfile ${method} ${zip64 ? 'zip64' : ''}`,
      'zip',
      () =>
        python(`import zipfile, os, sys, io
out = io.BytesIO()
with zipfile.ZipFile(out, 'w', zipfile.${method}) as z:
  for root, dirs, names in os.walk('.'):
    for n in names:
      p = os.path.join(root, n)
      with z.open(zipfile.ZipInfo(os.path.relpath(p)), 'w', force_zip64=${zip64 ? 'True' : 'False'}) as f: f.write(open(p, 'rb').read())
sys.stdout.buffer.write(out.getvalue())`),
    ]),
  ),
  ...(['', 'z', 'j'] as const).flatMap((filter) => {
    const types: ArchiveType[] = filter === 'z' ? ['tar.gz', 'tgz'] : filter === 'j' ? ['tar.bz2', 'tbz'] : ['tar'];
    const mode = { '': '', z: ':gz', j: ':bz2' }[filter];
    return types.flatMap((type): [string, ArchiveType, () => Buffer][] => [
      ...['v7', 'oldgnu', 'gnu', 'ustar', 'posix'].map((format): [string, ArchiveType, () => Buffer] => [
        `tar ${format} ${type}`,
        type,
        () => shell(`tar c${filter}f - --format=${format} .`),
      ]),
      ...['USTAR', 'GNU', 'PAX'].map((format): [string, ArchiveType, () => Buffer] => [
        `python tarfile ${format} ${type}`,
        type,
        () =>
          python(
            `import tarfile, sys, io
out = io.BytesIO()
with tarfile.open(fileobj=out, mode='w${mode}', format=tarfile.${format}_FORMAT) as t: t.add('mail')
sys.stdout.buffer.write(out.getvalue())`,
            folder,
          ),
      ]),
    ]);
  }),
];

/** Forms that need code of their own. */
const unusual: [string, ArchiveType, () => Buffer][] = [
  ['zip to a pipe (data descriptors)', 'zip', () => shell('zip -q -r - . | cat')],
  ['zip of a folder', 'zip', () => shell('zip -q -r - mail | cat', folder)],
  [
    'zip with backslashes',
    'zip',
    () =>
      zipOf([
        { name: 'mail\\index.html', body: pageHtml },
        { name: 'mail\\css\\a.css', body: 'p{}' },
        { name: 'mail\\bilder\\käse.png', body: pictures.png },
      ]),
  ],
  [
    'zip with names in code page 437',
    'zip',
    () =>
      zipOf([
        { name: 'index.html', body: pageHtml, flags: 0 },
        { name: 'css/a.css', body: 'p{}', flags: 0 },
        { name: Buffer.from('bilder/k\x84se.png', 'latin1'), body: pictures.png, flags: 0 },
      ]),
  ],
  ['gzip -1', 'tgz', () => shell('tar cf - . | gzip -1')],
  ['gzip -9', 'tgz', () => shell('tar cf - . | gzip -9n')],
  [
    'gzip in two members',
    'tgz',
    () => shell('tar cf t.tar . ; (head -c 700 t.tar | gzip; tail -c +701 t.tar | gzip); rm t.tar'),
  ],
  ['bzip2 -1', 'tbz', () => shell('tar cf - . | bzip2 -1')],
  [
    'bzip2 in two streams',
    'tbz',
    () => shell('tar cf t.tar . ; (head -c 700 t.tar | bzip2; tail -c +701 t.tar | bzip2); rm t.tar'),
  ],
  [
    'tar with one empty block',
    'tar',
    () =>
      tarOf([
        { name: 'index.html', body: pageHtml },
        { name: 'css/a.css', body: 'p{}' },
        { name: 'bilder/käse.png', body: pictures.png },
      ]).subarray(0, -512),
  ],
];

const noZip = spawnSync('zip', ['-v']).status === 0 ? false : 'zip is not installed';
for (const [name, type, make] of [...sample(usual, 6), ...unusual])
  test(`a valid archive made by ${name} is read`, { skip: /^zip (-|$)/.test(name) && noZip }, async () => {
    const made = make();
    const { files } = await unpack(made, type, archiveLimits);
    assert.ok(
      files.some(({ path }) => path.endsWith('bilder/käse.png')),
      name,
    );
    const result = await read(made.toString('base64'), type);
    assert.equal(result.ok ? result.html : renderMessage(result.reason), expectedHtml, name);
    assert.deepEqual(result.ok && result.warnings, [], name);
    assert.deepEqual(result.ok && result.assets.map(({ bytes }) => Buffer.from(bytes)), [pictures.png], name);
  });

test('the archive is Base64 with any line breaks, or bytes', async () => {
  const bytes = shell('tar czf - .');
  const base64 = bytes.toString('base64');
  const forms: (string | Uint8Array)[] = [
    base64,
    base64.replace(/.{76}/g, '$&\r\n'),
    base64.replace(/.{60}/g, '$&\n'),
    ` \t${base64}\n\n`,
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes,
    Uint8Array.from(bytes),
    Buffer.from(base64),
    Buffer.from(base64.replace(/.{76}/g, '$&\n')),
  ];
  for (const form of forms) assert.equal((await read(form, 'tgz')).ok, true);
  for (const form of ['', '%%%', `${base64}!`, base64.replace('H', '<'), new Uint8Array()]) {
    assert.equal((await read(form, 'tgz')).ok, false);
  }
});

test('an archive of another type than stated is refused, and the message names the real type where it is certain', async () => {
  const made: Record<ArchiveType, Buffer> = {
    zip: shell('zip -q -r - . | cat'),
    tar: shell('tar cf - .'),
    'tar.gz': shell('tar czf - .'),
    tgz: shell('tar czf - .'),
    'tar.bz2': shell('tar cjf - .'),
    tbz: shell('tar cjf - .'),
  };
  const same = (type: ArchiveType) => ({ tgz: 'tar.gz', tbz: 'tar.bz2' })[type as string] ?? type;
  for (const [type, bytes] of Object.entries(made) as [ArchiveType, Buffer][]) {
    for (const said of archiveTypes) {
      const outcome = await unpackOutcome(bytes, said);
      if (same(type) === same(said)) assert.equal(outcome, 'taken', `${type} as ${said}`);
      else assert.ok(outcome.startsWith(`This is a ${same(type)} archive`), `${type} as ${said}: ${outcome}`);
    }
  }
  const others = [
    pageHtml,
    'x',
    '\0'.repeat(512),
    '\0'.repeat(2000),
    'PK',
    '\x1f\x8b',
    'BZh9',
    'BZh91AY&SY',
    '7z\xbc\xaf\x27\x1c',
  ];
  for (const said of archiveTypes) {
    for (const other of others) {
      const outcome = await unpackOutcome(Buffer.from(other, 'latin1'), said);
      if (outcome !== 'taken') continue;
      // An empty tar is sound, but nothing to send.
      const result = await read(Buffer.from(other, 'latin1'), said);
      assert.equal(result.ok, false, `${JSON.stringify(other.slice(0, 10))} as ${said}`);
    }
  }
  // What lies in an archive as an archive stays packed.
  for (const inner of [made.zip, made.tgz]) {
    const result = await read(zipOf([{ name: 'inner.zip', body: inner }]), 'zip');
    assert.match(result.ok ? '' : renderMessage(result.reason), /no HTML page/);
  }
  const twice = await read(gzipSync(made.tgz), 'tgz');
  assert.match(twice.ok ? '' : renderMessage(twice.reason), /not a tar archive/);
});

test('an archive cut at any of 20 points is refused, or lacks only padding', async () => {
  for (const type of ['zip', 'tar', 'tgz', 'tbz'] as const) {
    const command = { zip: 'zip -q -r - . | cat', tar: 'tar cf - .', tgz: 'tar czf - .', tbz: 'tar cjf - .' }[type];
    const bytes = shell(command);
    let refused = 0;
    for (let point = 0; point < 20; point++) {
      const cut = bytes.subarray(0, Math.floor((bytes.length * point) / 20));
      if ((await unpackOutcome(cut, type)) !== 'taken') {
        refused++;
        continue;
      }
      const result = await read(cut, type);
      assert.equal(result.ok && result.html, expectedHtml);
    }
    // A tar is half padding.
    assert.ok(refused >= (type === 'tar' ? 5 : 20), `${type}: ${refused}`);
  }
});

const named = (reason: string, entry: string) => ({ reason: new RegExp(reason), entry });
async function refuses(archive: Buffer, type: ArchiveType, expected: { reason: RegExp; entry: string }) {
  const result = await unpackOutcome(archive, type);
  assert.match(result, expected.reason, expected.entry);
  if (expected.entry) assert.ok(result.includes(expected.entry), `${result} does not name ${expected.entry}`);
}
async function unpackOutcome(archive: Buffer, type: ArchiveType): Promise<string> {
  try {
    await unpack(archive, type, archiveLimits);
    return 'taken';
  } catch (error) {
    assert.ok(error instanceof ArchiveRefusal, String((error as Error).stack));
    return error.message;
  }
}

test('paths that leave the archive are refused by name, in zip and tar', async () => {
  const out = 'leads out of the archive';
  const absolute = 'has an absolute name';
  const drive = 'has a drive in its name';
  const odd = 'has control characters';
  const cases: [string, string][] = [
    ['../evil.html', out],
    ['..', out],
    ['a/../../evil.html', out],
    ['a/..', out],
    ['./../evil.html', out],
    ['..\\evil.html', out],
    ['a\\..\\..\\evil.html', out],
    ['a/..\\evil.html', out],
    ['.../evil.html', out],
    ['.. /evil.html', out],
    [' ../evil.html', out],
    ['. ./evil.html', out],
    ['..  ', out],
    ['a/ /evil.html', out],
    ['．．/evil.html', out],
    ['․․/evil.html', out],
    ['‥/evil.html', out],
    ['a/．．／evil.html', out],
    ['/etc/cron.d/evil', absolute],
    ['//host/share/evil.html', absolute],
    ['\\\\host\\share\\evil.html', absolute],
    ['\\evil.html', absolute],
    ['／etc/evil', absolute],
    ['/', absolute],
    ['C:/evil.html', drive],
    ['C:\\evil.html', drive],
    ['c:evil.html', drive],
    ['Ｃ：/evil.html', drive],
    ['a\nb.html', odd],
    ['a\x7fb.html', odd],
    ['a\x1b[31m.html', odd],
  ];
  for (const [name, reason] of cases) {
    const entry = name.replace(/[\x00-\x1f\x7f]/g, '\ufffd').slice(0, 80);
    await refuses(
      zipOf([
        { name: 'index.html', body: pageHtml },
        { name, body: 'x' },
      ]),
      'zip',
      named(reason, entry),
    );
    const tar = tarOf([
      { name: 'index.html', body: pageHtml },
      { name, body: 'x' },
    ]);
    await refuses(tar, 'tar', named(reason, entry));
    const pax: TarEntry[] = [
      { name: 'pax', type: 'x', body: paxRecord('path', name) },
      { name: 'innocent.html', body: 'x' },
    ];
    await refuses(tarOf(pax), 'tar', named(reason, entry));
    const long: TarEntry[] = [
      { name: '././@LongLink', type: 'L', body: `${name}\0` },
      { name: 'innocent.html', body: 'x' },
    ];
    await refuses(tarOf(long), 'tar', named(reason, entry));
  }
  await refuses(zipOf([{ name: 'a\0.html', body: 'x' }]), 'zip', named(odd, ''));
  await refuses(zipOf([{ name: '', body: 'x' }]), 'zip', named('no name', ''));
  await refuses(zipOf([{ name: `${'a'.repeat(300)}.html` }]), 'zip', named('too long a name', 'aaaa'));
  await refuses(zipOf([{ name: 'ä'.repeat(128) }]), 'zip', named('too long a name', 'ää'));
  await refuses(zipOf([{ name: 'a/'.repeat(32_000) }]), 'zip', named('too long a name', 'a/a/'));
  const gnu = [{ name: 'x', type: 'L', body: 'n'.repeat(64_000) }, { name: 'x' }];
  await refuses(tarOf(gnu), 'tar', named('too long a name', 'nnnn'));
  for (const fine of ['a..b.html', 'a...html', '..a/b.html', 'a/b../c.html', '%2e%2e/x.html', 'con.html']) {
    assert.equal(await unpackOutcome(zipOf([{ name: fine, body: 'x' }]), 'zip'), 'taken', fine);
  }
});

test('links, devices, pipes and other special files are refused by name', async () => {
  for (const [mode, reason] of [
    [0o120777, 'is a symbolic link'],
    [0o020666, 'neither a file nor a directory'],
    [0o060666, 'neither a file nor a directory'],
    [0o010666, 'neither a file nor a directory'],
    [0o140666, 'neither a file nor a directory'],
  ] as const) {
    await refuses(zipOf([{ name: 'evil.png', body: '/etc/passwd', mode }]), 'zip', named(reason, 'evil.png'));
  }
  for (const [type, reason] of [
    ['1', 'is a hard link'],
    ['2', 'is a symbolic link'],
    ['3', 'is a device'],
    ['4', 'is a device'],
    ['6', 'is a pipe'],
    ['M', 'is part of another archive'],
    ['S', 'is a sparse file'],
    ['V', 'unknown type'],
    ['Z', 'unknown type'],
  ] as const) {
    await refuses(tarOf([{ name: 'evil.png', type, link: '/etc/passwd' }]), 'tar', named(reason, 'evil.png'));
  }
  const sparse: TarEntry[] = [
    { name: 'x', type: 'x', body: Buffer.concat([paxRecord('GNU.sparse.major', '1'), paxRecord('path', 'a.png')]) },
    { name: 'y' },
  ];
  await refuses(tarOf(sparse), 'tar', named('is a sparse file', 'a.png'));
  // A link to a folder first, then a file "in" it.
  const through = shell('ln -s /tmp link; tar cf - link; rm link');
  await refuses(through, 'tar', named('is a symbolic link', 'link'));
  const setuid = await unpackOutcome(zipOf([{ name: 'a.html', body: 'x', mode: 0o104755 }]), 'zip');
  assert.equal(setuid, 'taken');
});

test('entries that cannot be unpacked safely are refused by name', async () => {
  const page: ZipEntry = { name: 'index.html', body: pageHtml };
  const cases: [string, Buffer, RegExp][] = [
    ['encrypted', zipOf([{ name: 'index.html', body: pageHtml, flags: 1 }]), /"index\.html" is encrypted/],
    ['said to be encrypted', zipOf([{ ...page, flags: 1 }]), /is encrypted/],
    ['strongly encrypted', zipOf([{ ...page, flags: 0x41 }]), /encrypted/],
    ['one of several disks', zipOf([page], { disk: 3 }), /one part of several/],
    [
      'bzip2 in zip',
      python(
        'import zipfile,sys,io\no=io.BytesIO()\nz=zipfile.ZipFile(o,"w",12)\nz.write("index.html")\nz.close()\nsys.stdout.buffer.write(o.getvalue())',
      ),
      /method \(12\)/,
    ],
    [
      'LZMA in zip',
      python(
        'import zipfile,sys,io\no=io.BytesIO()\nz=zipfile.ZipFile(o,"w",14)\nz.write("index.html")\nz.close()\nsys.stdout.buffer.write(o.getvalue())',
      ),
      /method \(14\)/,
    ],
    ['deflate64', zipOf([{ ...page, method: 9 }]), /method \(9\)/],
    ['zstd', zipOf([{ ...page, method: 93 }]), /method \(93\)/],
    ['wrong checksum', zipOf([{ ...page, crc: 1 }]), /"index\.html" is damaged: its checksum differs/],
    ['shorter than said', zipOf([{ ...page, size: 500 }]), /"index\.html" is damaged/],
    ['longer than said', zipOf([{ ...page, size: 5 }]), /"index\.html" is damaged/],
    ['stored, sizes differ', zipOf([{ ...page, method: 0, size: 5 }]), /damaged/],
    ['data beyond the end', zipOf([{ ...page, packedSize: 5_000 }]), /damaged/],
    ['more entries said than there are', zipOf([page], { entries: 5 }), /damaged/],
    ['twice the same name', zipOf([page, { ...page }]), /"index\.html" twice/],
    ['twice the same name, said differently', zipOf([page, { ...page, name: './index.html' }]), /"index\.html" twice/],
    ['the same bytes twice', zipOf([{ ...page }, { ...page, name: 'b.html', offset: 0 }]), /overlap/],
  ];
  for (const [name, archive, reason] of cases)
    assert.match(await unpackOutcome(Buffer.from(archive), 'zip'), reason, name);
  const tars: [string, Buffer, RegExp][] = [
    ['twice the same name', tarOf([{ name: 'a.html' }, { name: 'a.html' }]), /"a\.html" twice/],
    ['wrong checksum', tarOf([{ name: 'a.html' }, { name: 'b.html', checksum: 7 }]), /a header is wrong/],
    ['no number for a size', tarOf([{ name: 'a.html', size: -1 }]), /no valid size/],
    ['nonsense in pax', tarOf([{ name: 'x', type: 'x', body: 'nonsense' }, { name: 'a' }]), /a header is wrong/],
    [
      'pax that points beyond',
      tarOf([{ name: 'x', type: 'x', body: '99 path=a\n' }, { name: 'a' }]),
      /a header is wrong/,
    ],
    [
      'pax with a size below zero',
      tarOf([{ name: 'x', type: 'x', body: paxRecord('size', '-5') }, { name: 'a' }]),
      /no valid size/,
    ],
    ['pax of a megabyte', tarOf([{ name: 'x', type: 'x', body: Buffer.alloc(1_000_000, 'x') }]), /oversized header/],
    ['longer than it is', tarOf([{ name: 'a.html', body: 'x', size: 100_000 }], { end: false }), /ends too early/],
  ];
  for (const [name, archive, reason] of tars) assert.match(await unpackOutcome(archive, 'tar'), reason, name);
  const gz = shell('tar czf - .');
  gz[gz.length - 5]! ^= 1;
  assert.match(await unpackOutcome(gz, 'tgz'), /gzip data is damaged/);
});

test('system files and unknown files are skipped, files with a wrong type are left out with a warning', async () => {
  const entries: ZipEntry[] = [
    { name: 'index.html', body: '<img src="a.png">' },
    { name: '__MACOSX/._index.html', body: 'x' },
    { name: '__MACOSX/index.html', body: 'x' },
    { name: '.htaccess', body: 'x' },
    { name: '.git/index.html', body: 'x' },
    { name: '.DS_Store', body: 'x' },
    { name: 'Thumbs.db', body: 'x' },
    { name: 'script.js', body: 'x' },
    { name: 'run.exe', body: 'MZ' },
    { name: 'mail.txt', body: 'x' },
    { name: 'inner.zip', body: 'PK' },
    { name: 'a.png', body: '<script>' },
    { name: 'empty/', mode: 0o040755 },
  ];
  const tarred = tarOf(
    entries.map(({ name, body }) => ({ name, body, type: String(name).endsWith('/') ? '5' : '0' }) as TarEntry),
  );
  for (const [archive, type] of [
    [zipOf(entries), 'zip'],
    [tarred, 'tar'],
  ] as const) {
    const result = await read(archive, type);
    assert.ok(result.ok);
    assert.equal(result.html, '<img src="a.png">');
    assert.deepEqual(result.assets, []);
    assert.deepEqual(
      result.warnings.map(({ code }) => code),
      ['mismatched', 'missing'],
    );
  }
  const none = await read(zipOf([{ name: 'a.png', body: pictures.png }]), 'zip');
  assert.match(none.ok ? '' : renderMessage(none.reason), /no HTML page/);
  const two = await read(zipOf([{ name: 'a/index.html' }, { name: 'b/index.html' }]), 'zip');
  assert.match(two.ok ? '' : renderMessage(two.reason), /several pages \("a\/index\.html", "b\/index\.html"\)/);
});

test('the limits apply while unpacking', async () => {
  const limits = { ...archiveLimits, unpackedBytes: 100_000, entries: 10, codedBytes: 20_000 };
  const entry = { name: 'index.html', body: 'x'.repeat(99_000) };
  assert.equal((await read(zipOf([entry]), 'zip', limits)).ok, true);
  const reason = async (archive: Buffer | string, type: ArchiveType) => {
    const result = await read(archive, type, limits);
    return result.ok ? 'taken' : renderMessage(result.reason);
  };
  assert.match(
    await reason(zipOf([{ ...entry, body: 'x'.repeat(100_001) }]), 'zip'),
    /larger than 0 MiB \(at "index\.html"\)/,
  );
  // The sum counts, and also what is not wanted.
  assert.match(await reason(zipOf([entry, { name: 'b.bin', body: 'x'.repeat(2_000) }]), 'zip'), /larger than/);
  assert.match(
    await reason(gzipSync(tarOf([entry, { name: 'b.bin', body: 'x'.repeat(2_000) }])), 'tgz'),
    /larger than/,
  );
  const many = Array.from({ length: 11 }, (_, i) => ({ name: `${i}.html` }));
  assert.match(await reason(zipOf(many), 'zip'), /more than 10 entries/);
  assert.match(await reason(tarOf(many), 'tar'), /more than 10 entries/);
  assert.match(await reason(tarOf(many.map(({ name }) => ({ name, type: '5' }))), 'tar'), /more than 10 entries/);
  const headers = Array.from({ length: 40 }, () => ({ name: 'x', type: 'x', body: paxRecord('a', 'b') }));
  assert.match(await reason(gzipSync(tarOf(headers)), 'tgz'), /more than 10 entries/);
  assert.match(await reason('A'.repeat(30_000), 'zip'), /larger than 0 MiB/);
  assert.match(await reason(Buffer.alloc(20_001), 'zip'), /larger than 0 MiB/);
  // A gigabyte of zeros said to be a picture: stopped by the ratio at one megabyte.
  const bomb = Buffer.concat([tarHeader({ name: 'a.png', size: 40_000_000 }, 0), Buffer.alloc(30_000_000)]);
  assert.match(await unpackOutcome(gzipSync(bomb), 'tgz'), /too many times its size/);
});

test('an archive that takes too long is given up, and its thread ends', async () => {
  const slow = shell('head -c 1000000 /dev/urandom > r.bin; tar cjf - r.bin; rm r.bin');
  const result = await read(slow, 'tbz', { ...archiveLimits, totalMs: 10 });
  assert.match(result.ok ? '' : renderMessage(result.reason), /too long/);
});

slowTest('the event loop is not blocked while archives are unpacked', async () => {
  const big = shell('head -c 3000000 /dev/urandom > r.bin; tar cjf - . ; rm r.bin');
  const base64 = big.toString('base64');
  await read(base64, 'tbz');
  // Of the processor, not by the clock: on a busy machine every thread waits for its turn.
  const [begun, all] = [process.threadCpuUsage(), process.cpuUsage()];
  const result = await read(base64, 'tbz');
  const msOf = ({ user, system }: NodeJS.CpuUsage) => Math.round((user + system) / 1_000);
  const [ownMs, allMs] = [msOf(process.threadCpuUsage(begun)), msOf(process.cpuUsage(all))];
  assert.equal(result.ok, true);
  // What is left to this thread is to decode, to hash names and to put the page together.
  assert.ok(allMs > 100, `${allMs} ms: nothing was unpacked in this process`);
  assert.ok(ownMs < allMs / 3, `${ownMs} of ${allMs} ms`);
});

test('any change of any bytes is either refused or harmless', async () => {
  const sound: [ArchiveType, Buffer][] = [
    ['zip', shell('zip -q -r - . | cat')],
    ['tar', gunzipSync(shell('tar czf - --format=posix .')).subarray(0, 12_000)],
    ['tgz', shell('tar czf - .')],
    ['tbz', shell('tar cjf - .')],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...sound),
      fc.array(fc.tuple(fc.nat(100_000), fc.nat(255)), { minLength: 1, maxLength: 6 }),
      async ([type, archive], changes) => {
        const changed = Buffer.from(archive);
        for (const [at, value] of changes) changed[at % changed.length] = value;
        // Only a refusal may be thrown; unpackOutcome asserts it.
        await unpackOutcome(changed, type);
      },
    ),
    { numRuns: runs(500) },
  );
});

test('a page that takes long to read does not hold up this thread', async () => {
  const attributes = Array.from({ length: 100_000 }, (_, i) => `a${i.toString(36)}=1`).join(' ');
  const archive = zipOf([{ name: 'index.html', body: `<p ${attributes}>text</p>` }]);
  const before = process.threadCpuUsage();
  const total = process.cpuUsage();
  assert.ok((await read(archive, 'zip')).ok);
  const here = process.threadCpuUsage(before).user;
  const everywhere = process.cpuUsage(total).user;
  assert.ok(here < everywhere / 2, `${here} of ${everywhere} µs in this thread`);
});
