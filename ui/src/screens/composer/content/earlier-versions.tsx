// The table of earlier versions of an email or a template: when each was replaced and who wrote it, with preview and restore.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { useText } from '../../../text/use-text.tsx';

type Version = { version: number; kept_at: string; written_by: string };

type Props<V extends Version> = {
  label: string;
  rows: readonly V[];
  /** What each version is, and why it was replaced. */
  what: Column<V>;
  why?: Column<V>;
  /** Who wrote a version of which no one is known. */
  byDefault?(row: V): string;
  /** The version as it would be read. */
  preview(version: number): ReactNode;
  /** Not given where nothing may be restored. */
  onRestore?: ((version: number) => Promise<unknown>) | undefined;
  /** Why nothing can be restored now. */
  refused?: string | undefined;
};

export function EarlierVersions<V extends Version>(props: Props<V>) {
  const { label, rows, what, why, byDefault = () => '–', preview, onRestore, refused } = props;
  const t = useText('composer');
  const { busy, run } = useAction();
  const [previewed, setPreviewed] = useState<number>();
  const [restoring, setRestoring] = useState<number>();
  const restore = (version: number) =>
    run(async () => {
      setRestoring(version);
      await onRestore?.(version);
      setPreviewed(undefined);
      toast.done(t('restored'));
    });
  const isRefused = refused !== undefined;
  return (
    <>
      <Rows
        label={label}
        columns={[
          { name: 'until', title: t('versionUntil'), cell: ({ kept_at }) => <Time at={kept_at} /> },
          what,
          { name: 'by', title: t('versionBy'), cell: (row) => row.written_by || byDefault(row) },
          ...(why ? [why] : []),
          {
            name: 'look',
            title: t('versionActions'),
            figure: true,
            cell: ({ version }) => (
              <Group gap="xs" justify="flex-end" wrap="nowrap">
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => setPreviewed(version)}
                  aria-label={t('versionLookAt', { version })}
                >
                  {t('versionLook')}
                </Button>
                {onRestore && (
                  <Button
                    size="xs"
                    variant="default"
                    loading={busy && restoring === version}
                    disabled={busy || isRefused}
                    title={refused}
                    onClick={() => restore(version)}
                    aria-label={t('restoreVersion', { version })}
                  >
                    {t('restore')}
                  </Button>
                )}
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
        opened={previewed !== undefined}
        onClose={() => setPreviewed(undefined)}
        title={t('versionTitle', { version: previewed ?? 0 })}
        size="xl"
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {previewed !== undefined && (
          <Stack gap="md">
            {preview(previewed)}
            {onRestore && !isRefused && (
              <Group justify="flex-end">
                <Button loading={busy} onClick={() => restore(previewed)}>
                  {t('restore')}
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </Modal>
    </>
  );
}
