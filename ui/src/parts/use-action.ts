// What a button or a form does: busy until it has ended, and its fault shown. A form that sends its values to one method is a
// MethodForm instead (form/form.tsx).
import { useRef, useState } from 'react';
import { toast } from './toast/toast.tsx';

/**
 * @param failed shows a fault; as a toast without it
 * @returns run(): does something, unless it is being done already
 */
export function useAction(failed: (fault: unknown) => void = toast.failed): {
  busy: boolean;
  run(action: () => Promise<unknown>): Promise<void>;
} {
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const run = async (action: () => Promise<unknown>) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      await action();
    } catch (fault) {
      failed(fault);
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { busy, run };
}
