// What a child process and its parent agree on: the child ends with its parent, which alone could restart it, and may be
// started before the database is ready.

/** How long a process may take to finish its work before it is killed. */
export const graceMs = 35_000;

/** A parent that is gone cannot restart its children: they watch the channel to it and exit when it closes. */
export function endWithParent(finish: () => void) {
  if (!process.send) return;
  const end = () => {
    finish();
    // The database may be gone with the parent; nothing else would end a child that waits for it.
    setTimeout(() => process.exit(1), graceMs).unref();
  };
  if (process.connected) process.on('disconnect', end);
  else end();
}

/** Argument of a server that loads its code while the parent prepares the database, and waits for it. */
export const waitArgument = '--wait-for-parent';

/** Resolves with the URL of the database when the parent has prepared it. Ends this process if the parent ends before that. */
export function databaseOfParent(): Promise<string> {
  if (!process.connected) process.exit(1);
  const end = () => process.exit(1);
  process.once('disconnect', end);
  return new Promise((resolve) => {
    process.once('message', (url: string) => {
      process.off('disconnect', end);
      resolve(url);
    });
  });
}
