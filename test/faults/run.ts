// `npm run test:faults`: runs every test whose name begins with a row of the fault matrix (F01 …), one file at a time, as
// they kill and measure. Meanwhile the tasks of the timetable run at random moments. Prints a table by row at the end and writes it into docs/reliability.md. With arguments it runs
// only the files whose path contains one of them, and renews their lines. Exit code 0 only when nothing failed.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultFiles } from './files.ts';
import { type Line, linesOf, type Result, readLines, tableOf, within } from './table.ts';

const root = join(import.meta.dirname, '../..');
const document = join(root, 'docs/reliability.md');
const filters = process.argv.slice(2);
const files = faultFiles(root).filter((file) => filters.length === 0 || filters.some((part) => file.includes(part)));

const lines: Line[] = [];
let all = 0;
let failed = 0;
let code = files.length === 0 ? 1 : 0;
for (const [n, file] of files.entries()) {
  console.log(`\n[${n + 1}/${files.length}] ${file}`);
  if (!(await run(file))) code = 1;
}
console.log(`\n${tableOf(lines)}`);
const text = readFileSync(document, 'utf8');
const others = readLines(text).filter(({ file }) => filters.length > 0 && !files.includes(file));
writeFileSync(document, within(text, 'rows', tableOf([...others, ...lines])));
console.log(`${all - failed} passed, ${failed} failed`);
process.exit(code);

/** Runs a file, passes its report on, and keeps its results. */
function run(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--test', '--test-timeout=3600000', '--test-reporter=spec', file], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_ENV: 'test', SLOW_TESTS: 'yes', TIMETABLE: 'random' },
    });
    let text = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (more: string) => {
      process.stdout.write(more);
      text += more;
    });
    child.on('close', (exit) => {
      // Behind the summary the failures come once more, with their reports.
      const [report = ''] = text.split(/^ℹ tests /m);
      const results: Result[] = [];
      for (const found of report.matchAll(/^\s*([✔✖]) (.+) \((\d+(?:\.\d+)?)ms\)$/gm))
        results.push({ name: found[2]!, passed: found[1] === '✔', seconds: Number(found[3]) / 1_000 });
      lines.push(...linesOf(file, results));
      all += results.length;
      failed += results.filter((result) => !result.passed).length;
      resolve(exit === 0);
    });
  });
}
