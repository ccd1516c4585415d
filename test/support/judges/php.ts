// Asks the real PHP, if installed, what it makes of a value. Returns undefined without PHP, so that a test can report
// it and continue with its fixed vectors.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const binary = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'php'))
  .find((file) => existsSync(file));

/** Runs PHP code with `$in` decoded from JSON; what it leaves in `$out` comes back. Throws when PHP fails. */
export function askPhp(code: string, input: unknown): unknown {
  if (binary === undefined) return undefined;
  const script = `$in = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR); ${code}
    echo json_encode($out, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);`;
  const run = spawnSync(binary, ['-n', '-d', 'max_input_vars=1000000', '-r', script], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (run.status !== 0) throw new Error(`php: ${run.stdout.slice(0, 500)} ${run.stderr.slice(0, 500)}`);
  return JSON.parse(run.stdout);
}
