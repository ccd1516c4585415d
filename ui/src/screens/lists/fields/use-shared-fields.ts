// The fields of the account by tag: those whose values are the same on every list.
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';

export type SharedField = ResultOf<'accountFields'>[number];

/** How often those that are being joined are looked at. */
const checkEveryMs = 3_000;

export function useSharedFields() {
  const isJoining = useMethod('accountFields').data?.some(({ state }) => state === 'joining') ?? false;
  return useMethod('accountFields', {}, { refetchInterval: isJoining && checkEveryMs });
}

export function useSharedByTag(): ReadonlyMap<string, SharedField> {
  return new Map((useSharedFields().data ?? []).map((field) => [field.tag, field]));
}

/** Asks, then makes a field of each list of it again. */
export function useSeparate(): (field: Pick<SharedField, 'tag' | 'name'>) => Promise<void> {
  const t = useText('lists');
  const separate = useMutate('accountFieldDelete', ['list', 'contact', 'member']);
  return async ({ tag, name }) => {
    const question = { title: t('separateTitle', { name }), text: t('separateText'), action: t('separate') };
    if (!(await confirm(question))) return;
    try {
      await separate.mutateAsync({ tag });
      toast.done(t('separated', { name }));
    } catch (error) {
      toast.failed(error);
    }
  };
}
