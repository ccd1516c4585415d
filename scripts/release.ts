// Makes a release: `npm run release -- --dry [--out FOLDER]` checks that it can be made and writes its files to a folder (release/ if not
// given): the npm packages, the section of the changelog, the list of components (CycloneDX) and checksums. Without --dry it makes the
// tag, too. It publishes nothing: it prints the commands that do.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { changelogSection } from './release/changelog.ts';
import { releaseProblems } from './release/checks.ts';
import { components } from './release/components.ts';

export type ReleaseOptions = { root: string; out: string; dry: boolean };

/**
 * Writes the files and returns their names; without `dry`, makes the tag.
 * @throws Error with a line for each reason why there can be no release; nothing is written then
 */
export function makeRelease({ root, out, dry }: ReleaseOptions): { tag: string; files: string[] } {
  const problems = releaseProblems(root, { dry });
  if (existsSync(out) && readdirSync(out).length > 0) problems.push(`The folder ${out} is not empty.`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const tag = `v${version}`;
  mkdirSync(out, { recursive: true });
  for (const folder of ['', 'sdk/typescript'])
    execFileSync('npm', ['pack', '--silent', '--pack-destination', out], {
      cwd: join(root, folder),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  writeFileSync(join(out, `changelog-${version}.md`), `${changelogSection(root, version)!.text}\n`);
  writeFileSync(join(out, `components-${version}.cdx.json`), `${JSON.stringify(components(root), null, 2)}\n`);
  const files = readdirSync(out).sort();
  const sums = files.map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex')}  ${name}\n`,
  );
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  if (!dry) execFileSync('git', ['tag', '--annotate', '--message', `Release ${version}`, tag], { cwd: root });
  return { tag, files: [...files, 'SHA256SUMS'] };
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const { dry = false, out = 'release' } = parseArgs({
    options: { dry: { type: 'boolean' }, out: { type: 'string' } },
  }).values;
  const folder = resolve(out);
  try {
    const { tag, files } = makeRelease({ root, out: folder, dry });
    console.log(
      `${dry ? `The tag would be ${tag}` : `Tagged ${tag}`}. In ${folder}:\n${files.map((name) => `  ${name}\n`).join('')}`,
    );
    if (!dry)
      console.log(
        `To publish:\n  git push origin ${tag}\n${files
          .filter((name) => name.endsWith('.tgz'))
          .map((name) => `  npm publish ${join(folder, name)}\n`)
          .join('')}`,
      );
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
