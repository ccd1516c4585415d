// In place of the whole frame, when it cannot be told who is signed in: the program is out of reach.
import { FaultScreen } from '../parts/fault.tsx';

export function ShellFault({ error, reset }: { error: unknown; reset(): void }) {
  return (
    <main id="main">
      <FaultScreen
        error={error}
        onRetry={() => {
          reset();
          window.location.reload();
        }}
      />
    </main>
  );
}
