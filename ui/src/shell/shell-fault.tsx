// Replaces the whole shell when the session cannot be loaded: the server cannot be reached.
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
