// Whether the campaign will be in the public archive, asked before it is sent. Shown only where the archive would show it.
import { Switch, Text } from '@mantine/core';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { useDraft } from '../draft.tsx';
import { useIsOfAutomation } from '../to-section.tsx';

/** Undefined while it is not known, and where the archive shows no such campaign. */
export function useArchiveChoice(): { isLeftOut: boolean } | undefined {
  const { cid } = useDraft();
  // Lists and segments that are chosen decide; they are saved by the time of the review.
  const { data } = useMethod('campaignArchive', { cid }, { keep: true });
  const isOfAutomation = useIsOfAutomation();
  return data?.on && data.lists_public && !isOfAutomation ? { isLeftOut: !data.in_archive } : undefined;
}

export function ArchiveChoice({ isLeftOut }: { isLeftOut: boolean }) {
  const t = useText('composer');
  const { cid } = useDraft();
  const maySend = useSession().may('campaigns:send');
  const change = useMutate('campaignArchiveUpdate', ['archive']);
  return (
    <>
      <Switch
        label={t('leaveOutOfArchive')}
        checked={change.isPending ? !change.variables.in_archive : isLeftOut}
        disabled={!maySend || change.isPending}
        onChange={(event) =>
          change.mutate({ cid, in_archive: !event.currentTarget.checked }, { onError: toast.failed })
        }
      />
      <Text size="sm" c="dimmed">
        {t('leaveOutOfArchiveAbout')}
      </Text>
    </>
  );
}
