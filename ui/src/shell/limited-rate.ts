// Reading again after changes, at a limited rate.

/**
 * Reads some time after a change; changes in the meantime share it. While an answer is due nothing is read: a slow server would
 * get ever more requests, and none of them would count.
 */
export function limitedRate(read: () => Promise<unknown>, pauseMs: number) {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;
  let hasChanged = false;
  const plan = () => {
    if (isReading || !hasChanged) return;
    waiting ??= setTimeout(begin, pauseMs);
  };
  const begin = () => {
    waiting = undefined;
    hasChanged = false;
    isReading = true;
    const end = () => {
      isReading = false;
      plan();
    };
    read().then(end, end);
  };
  return {
    changed() {
      hasChanged = true;
      plan();
    },
    stop() {
      hasChanged = false;
      clearTimeout(waiting);
    },
  };
}
