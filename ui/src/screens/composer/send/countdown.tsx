// Counts down the seconds in which a send can be undone, in place of the fields that started it. On another screen a toast continues the
// countdown.
import { useEffect, useRef } from 'react';
import type { UndoOptions } from '../../../parts/toast/kinds.ts';
import { toast } from '../../../parts/toast/toast.tsx';
import { Undo } from '../../../parts/toast/undo.tsx';

export function Countdown({ text, seconds, onUndo, onElapsed }: UndoOptions) {
  const settled = useRef(false);
  const settle = (what?: () => void) => {
    if (settled.current) return;
    settled.current = true;
    what?.();
  };
  const given = useRef({ text, onUndo, onElapsed });
  useEffect(() => {
    const endsAt = performance.now() + seconds * 1_000;
    return () => {
      const { onElapsed: elapsed, ...rest } = given.current;
      const left = Math.max(0, (endsAt - performance.now()) / 1_000);
      if (!settled.current) toast.undo({ ...rest, seconds: left, ...(elapsed ? { onElapsed: elapsed } : {}) });
    };
  }, [seconds]);
  return <Undo text={text} seconds={seconds} onUndo={() => settle(onUndo)} onElapsed={() => settle(onElapsed)} />;
}
