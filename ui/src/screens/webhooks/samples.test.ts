// Runs the code samples of the "Verification" tab as a reader would.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { samplesOf } from './samples.ts';

const commands: Record<string, (code: string) => [string, string[]]> = {
  Node: (code) => [process.execPath, ['--input-type=module', '-e', code]],
  PHP: (code) => ['php', ['-r', code.replace('<?php', '')]],
  Python: (code) => ['python3', ['-c', code]],
  Ruby: (code) => ['ruby', ['-e', code]],
};

for (const format of ['standard', 'classic'])
  for (const { language, code } of samplesOf({ algorithm: 'sha256', format, secret: undefined })) {
    const command = commands[language];
    if (!command) continue;
    test(`the ${language} sample for the ${format} format refuses to run with an empty secret`, (c) => {
      const [program, args] = command(code);
      if (spawnSync(program, ['--version']).error) return c.diagnostic(`${language} is not installed: not shown`);
      const env = { ...process.env, WEBHOOK_SECRET: '' };
      const { status, stdout, stderr } = spawnSync(program, args, { env, timeout: 20_000, encoding: 'utf8' });
      assert.notEqual(status, 0);
      assert.match(stdout + stderr, /WEBHOOK_SECRET is not set/);
    });
  }

for (const format of ['standard', 'classic'])
  test(`the Python sample accepts a signed body in the ${format} format and rejects a forged body`, (c) => {
    const secret = 'abc';
    const python = samplesOf({ algorithm: 'sha256', format, secret }).find(({ language }) => language === 'Python')!;
    const body =
      format === 'classic'
        ? '{"hook":"email.open","timestamp":1,"data":[{"id":"evt_1"}]}'
        : '{"timestamp":1,"events":[{"type":"email.open","data":{"id":"evt_1"}}]}';
    const calls = `
body = b'${body}'
right = "sha256=" + hmac.new(b"abc", body, "sha256").hexdigest()
print(handle({"X-Service-Signature": right}, body)[0], handle({"X-Service-Signature": right + "0"}, body)[0])
`;
    const { error, stdout, stderr } = spawnSync('python3', ['-c', python.code + calls], { encoding: 'utf8' });
    if (error) return c.diagnostic('Python is not installed: not shown');
    assert.equal(stdout, 'email.open evt_1\n200 401\n', stderr);
  });
