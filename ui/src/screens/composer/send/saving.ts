// What every way to release a draft does first: it saves what was typed.
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { useDraft } from '../draft.tsx';

/** Saves everything. The function returns false, and shows why, if something could not be saved. */
export function useSaveAll(onFault: (fault: string | undefined) => void): () => Promise<boolean> {
  const t = useText('composer');
  const { flush } = useDraft();
  return async () => {
    onFault(undefined);
    if (await flush()) return true;
    onFault(t('unsavedStops'));
    return false;
  };
}

export const useAccountZone = () => useSession().account.time_zone || 'UTC';
