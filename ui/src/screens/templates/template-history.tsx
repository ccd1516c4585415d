// Earlier versions of a template: who wrote each, until when it was in use, with preview and restore.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Rows } from '../../parts/table/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import { MailFrame } from '../composer/preview/mail-frame.tsx';

type Props = {
  id: string;
  /** Nothing may be restored: read-only, or there are changes that are not saved. */
  fixed: boolean;
  onRestored(version: { source: string; subject: string }): void;
};

export function TemplateHistory({ id, fixed, onRestored }: Props) {
  const t = useText('templates');
  const versions = useMethod('templateVersions', { template_id: id });
  const restore = useMutate('templateVersionRestore', ['campaign', 'template']);
  const [shown, setShown] = useState<number>();
  const onRestore = async (version: number) => {
    try {
      const [earlier] = await call('templateVersions', { template_id: id, version });
      await restore.mutateAsync({ template_id: id, version });
      if (earlier) onRestored(earlier);
      setShown(undefined);
      toast.done(t('restored'));
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Loaded query={versions}>
      {(rows) =>
        rows.length === 0 ? (
          <Text c="dimmed">{t('historyNone')}</Text>
        ) : (
          <>
            <Rows
              label={t('history')}
              columns={[
                { name: 'until', title: t('versionUntil'), cell: ({ kept_at }) => <Time at={kept_at} /> },
                { name: 'subject', title: t('subject'), cell: ({ subject }) => subject || '–' },
                { name: 'by', title: t('versionBy'), cell: ({ written_by }) => written_by || '–' },
                {
                  name: 'look',
                  title: t('versionActions'),
                  figure: true,
                  cell: ({ version }) => (
                    <Group gap="xs" justify="flex-end" wrap="nowrap">
                      <Button
                        size="xs"
                        variant="default"
                        onClick={() => setShown(version)}
                        aria-label={t('versionLookAt', { version })}
                      >
                        {t('versionLook')}
                      </Button>
                      <Button
                        size="xs"
                        variant="default"
                        disabled={fixed || restore.isPending}
                        title={fixed ? t('restoreUnsaved') : undefined}
                        onClick={() => onRestore(version)}
                        aria-label={t('restoreVersion', { version })}
                      >
                        {t('restore')}
                      </Button>
                    </Group>
                  ),
                },
              ]}
              rows={rows}
              keyOf={({ version }) => String(version)}
              nameOf={({ version }) => t('versionTitle', { version })}
              empty={null}
            />
            <Modal
              opened={shown !== undefined}
              onClose={() => setShown(undefined)}
              title={t('versionTitle', { version: shown ?? 0 })}
              size="xl"
              closeButtonProps={{ 'aria-label': t('close') }}
            >
              {shown !== undefined && <Version id={id} version={shown} />}
            </Modal>
          </>
        )
      }
    </Loaded>
  );
}

function Version({ id, version }: { id: string; version: number }) {
  const t = useText('templates');
  const answer = useMethod('templateVersions', { template_id: id, version });
  return (
    <Loaded query={answer}>
      {([found]) => (
        <Stack>
          <MailFrame html={found?.source ?? ''} title={t('versionTitle', { version })} height={560} />
        </Stack>
      )}
    </Loaded>
  );
}
