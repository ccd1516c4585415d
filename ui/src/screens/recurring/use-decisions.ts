// Approving and skipping an issue, with a question before it is sent.
import { useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { useTagless } from '../../parts/tagged/tagged.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';

export function useDecisions() {
  const t = useText('recurring');
  const tagless = useTagless();
  const approve = useMutate('recurringApprove', ['campaign']);
  const skip = useMutate('recurringSkip', ['campaign']);
  const onError = (error: unknown) => toast.failed(error);
  return {
    async approve(campaign: string, subject: string) {
      const agreed = await confirm({
        title: t('confirmApprove'),
        text: t('confirmApproveText', { subject: tagless(subject) }),
        action: t('approveNow'),
      });
      if (agreed) approve.mutate({ campaign }, { onError, onSuccess: () => toast.done(t('approved')) });
    },
    skip: (campaign: string) => skip.mutate({ campaign }, { onError, onSuccess: () => toast.done(t('skipped')) }),
  };
}
