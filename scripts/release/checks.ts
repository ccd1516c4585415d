// Whether a release can be made: the files are those of a commit, every part carries the same version, the changelog has it, and it
// was not released before.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changelogSection } from './changelog.ts';

/** A line for each reason against it. @param dry the changelog may call the version unreleased */
export function releaseProblems(root: string, { dry }: { dry: boolean }): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version as string;
  const problems: string[] = [];
  const changed = git('status', '--porcelain').split('\n').filter(Boolean);
  if (changed.length > 0)
    problems.push(
      `The working tree has changes that are not committed: ${changed.map((line) => line.slice(2).trim()).join(', ')}.`,
    );
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) problems.push(`${version} is not a version such as 1.2.3.`);
  for (const [place, found] of Object.entries(versions(root)))
    if (found !== version) problems.push(`${place} has the version ${found ?? '(none)'}, package.json has ${version}.`);
  const section = changelogSection(root, version);
  if (section === undefined) problems.push(`CHANGELOG.md has no section for ${version}.`);
  else if (section.text === '') problems.push(`The section for ${version} in CHANGELOG.md is empty.`);
  else if (!dry && !/^\d{4}-\d\d-\d\d$/.test(section.note))
    problems.push(`The heading of ${version} in CHANGELOG.md has no date such as (2026-12-01).`);
  if (git('tag', '--list', `v${version}`) !== '') problems.push(`The tag v${version} exists already.`);
  return problems;
}

/** The version in each part of the repository that carries it. */
export function versions(root: string): Record<string, string | undefined> {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const json = (path: string) =>
    JSON.parse(read(path)) as { version?: string; packages: Record<string, { version?: string }> };
  const chart = read('examples/helm/postrider/Chart.yaml');
  return {
    'package-lock.json': json('package-lock.json').packages['']?.version,
    Dockerfile: /image\.version="([^"]+)"/.exec(read('Dockerfile'))?.[1],
    'the version of the chart': /^version: "?([^"\s]+)"?$/m.exec(chart)?.[1],
    'the appVersion of the chart': /^appVersion: "?([^"\s]+)"?$/m.exec(chart)?.[1],
    'sdk/typescript': json('sdk/typescript/package.json').version,
    'sdk/python': /^version = "([^"]+)"/m.exec(read('sdk/python/pyproject.toml'))?.[1],
    'sdk/php': json('sdk/php/composer.json').version,
    'integrations/n8n': json('integrations/n8n/package.json').version,
  };
}
