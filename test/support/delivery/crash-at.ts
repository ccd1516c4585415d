// Loaded before the program (node --import) to make it die at a point that no one outside can see, by CRASH_AT:
//   before-dotted 3    as the third D line is about to be written to the journal (dot decided, nothing written)
//   dotted 3           right behind the third D line: the dot is announced and was never sent
//   before-settled 3   as the third R line is about to be written: no other place has the reply
//   settled 3          right behind the third R line, before any outcome is in the database
//   render TEXT        while the message of a recipient whose address contains TEXT is being made
// CRASH_BY: kill (the default, as the kernel does when memory runs out), exit, throw and reject (never caught),
// error (thrown to the caller), stop (until a SIGCONT).
import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';

const [point = '', argument = ''] = (process.env['CRASH_AT'] ?? '').split(' ');

/** Ends this process in the way CRASH_BY names. */
export function crash(): void {
  const by = process.env['CRASH_BY'] ?? 'kill';
  if (by === 'error') throw new Error('an error on purpose');
  if (by === 'stop') process.kill(process.pid, 'SIGSTOP');
  else if (by === 'exit') process.exit(3);
  else if (by === 'throw')
    setImmediate(() => {
      throw new Error('a crash on purpose');
    });
  else if (by === 'reject') void Promise.reject(new Error('a crash on purpose'));
  else process.kill(process.pid, 'SIGKILL');
}

if (point === 'render')
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const mine = context.parentURL?.endsWith('/crashing-render.ts');
      if (!found.url.endsWith('/src/delivery/message/render.ts') || mine) return found;
      return { ...found, url: new URL('crashing-render.ts', import.meta.url).href };
    },
  });
else if (point !== '') {
  const letter = point.endsWith('dotted') ? 'D ' : 'R ';
  const before = point.startsWith('before');
  const real = fs.writeSync as (handle: number, ...rest: unknown[]) => number;
  let left = Number(argument);
  fs.writeSync = ((handle: number, ...rest: unknown[]) => {
    const counts = typeof rest[0] === 'string' && rest[0].startsWith(letter);
    if (counts) left -= 1;
    if (counts && left === 0 && before) crash();
    const written = real(handle, ...rest);
    if (counts && left === 0 && !before) crash();
    return written;
  }) as typeof fs.writeSync;
  syncBuiltinESMExports();
}
