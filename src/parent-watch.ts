// Ends a child process with its parent, which alone could restart it.

/** How long a process may take to finish its work before it is killed. */
export const graceMs = 35_000;

/** A parent that is gone cannot restart its children: they watch the channel to it and exit when it closes. */
export function endWithParent(finish: () => void) {
  if (!process.send) return;
  process.on('disconnect', () => {
    finish();
    // The database may be gone with the parent; nothing else would end a child that waits for it.
    setTimeout(() => process.exit(1), graceMs).unref();
  });
}
