// A process neither ends nor waits for its log, whatever its standard output is.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { slowTest } from '../../test/support/run/runs.ts';

/** A process that logs 20,000 lines, reports on stderr that it did, then one more line for each line on stdin, until "exit". */
const program = `
  import { createInterface } from 'node:readline';
  import { createLog } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'log.ts')).href)};
  const log = createLog('info', 'test');
  for (let n = 0; n < 20000; n++) log.info({ n, text: 'x'.repeat(200) }, 'a line');
  console.error('alive');
  createInterface({ input: process.stdin }).on('line', (text) => {
    log.error(text);
    if (text === 'exit') process.exit(3);
    console.error('answered ' + text);
  });
`;

class Logging {
  readonly child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  constructor(t: TestContext, command: string, args: string[] = [], cwd = tmpdir()) {
    this.child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      cwd,
      env: { ...process.env, NODE: process.execPath, PROGRAM: program },
    });
    this.child.on('error', () => {});
    t.after(() => this.child.kill('SIGKILL'));
    this.#answers = createInterface({ input: this.child.stderr! })[Symbol.asyncIterator]();
  }
  async answer(): Promise<string> {
    return (await this.#answers.next()).value;
  }
  say(text: string): void {
    this.child.stdin!.write(`${text}\n`);
  }
}

const run = 'exec "$NODE" --input-type=module --eval "$PROGRAM"';

test('a pipe that is not read does not block the process', async (t) => {
  const logging = new Logging(t, 'sh', ['-c', run]);
  assert.equal(await logging.answer(), 'alive');
  logging.say('first');
  assert.equal(await logging.answer(), 'answered first');
  // Now it is read.
  let text = '';
  logging.child.stdout!.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  while (!text.includes('"dropped":')) await once(logging.child.stdout!, 'data');
  logging.say('exit');
  assert.deepEqual(await once(logging.child, 'close'), [3, null]);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one));
  assert.equal(lines.at(-1).msg, 'exit', 'the last line before the end is written');
  const dropped = lines.reduce((sum, { dropped = 0 }) => sum + dropped, 0);
  assert.equal(lines.filter(({ msg }) => msg === 'a line').length + dropped, 20_000);
});

slowTest('a reader that has gone does not end the process', async (t) => {
  const logging = new Logging(t, 'sh', ['-c', run]);
  logging.child.stdout!.destroy();
  assert.equal(await logging.answer(), 'alive');
  logging.say('first');
  assert.equal(await logging.answer(), 'answered first');
  logging.say('exit');
  assert.deepEqual(await once(logging.child, 'exit'), [3, null]);
});

slowTest('a file that cannot grow does not stop the process, and takes lines again when there is room', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log');
  const logging = new Logging(t, 'sh', ['-c', `ulimit -f 100; ${run} >> log`], folder);
  assert.equal(await logging.answer(), 'alive');
  logging.say('first');
  assert.equal(await logging.answer(), 'answered first');
  const full = readFileSync(file).length;
  assert.ok(full <= 102_400);
  truncateSync(file);
  while (!/"msg"/.test(readFileSync(file, 'utf8'))) await new Promise((resolve) => setTimeout(resolve, 20));
  logging.say('exit');
  assert.deepEqual(await once(logging.child, 'exit'), [3, null]);
});
