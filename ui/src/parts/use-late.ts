// A component that is loaded when it is wanted, and stays from then on. Until it has arrived, what stands for it stays as it is,
// with the focus and what was typed; a lazy component would put a new element in its place.
import { useEffect, useState } from 'react';

export function useLate<C>(load: () => Promise<{ default: C }>, isWanted: boolean): C | undefined {
  const [late, setLate] = useState<{ component: C }>();
  useEffect(() => {
    if (isWanted) void load().then((file) => setLate({ component: file.default }));
  }, [load, isWanted]);
  return late?.component;
}
