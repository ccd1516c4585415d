// The setup steps that were skipped, in this browser: they are not done, and not the next ones either.
import { useLocalStorage } from '@mantine/hooks';
import { useSession } from '../../session/session.ts';
import type { StepName } from './steps.ts';

export function useSkipped() {
  const { account } = useSession();
  const [skipped, setSkipped] = useLocalStorage<StepName[]>({
    key: `postrider-skipped-${account.id}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  return {
    isSkipped: (step: StepName) => skipped.includes(step),
    note: (step: StepName) => setSkipped((before) => [...new Set([...before, step])]),
  };
}
