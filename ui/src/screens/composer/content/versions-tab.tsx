// Earlier versions of the content: when each was replaced and by what, with preview and restore.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { invalidate, useMethod } from '../../../api/use-method.ts';
import { useFormats } from '../../../parts/formats.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import { useDraft } from '../draft.tsx';
import { MailFrame, textPage } from '../preview/mail-frame.tsx';
import { writtenOf } from './written.ts';

export function VersionsTab() {
  const t = useText('composer');
  const { number } = useFormats();
  const { cid, editor, adopt, flush, fixed } = useDraft();
  const client = useQueryClient();
  const versions = useMethod('campaignVersions', { cid });
  const [previewed, setPreviewed] = useState<number>();

  const restore = async (version: number) => {
    try {
      await flush();
      await call('campaignVersionRestore', { cid, version, editor });
      const [content, options] = await Promise.all([
        call('campaignContent', { cid }),
        call('campaignOptions', { cid }),
      ]);
      const plain = options.plain_generated ? '' : content.plain;
      adopt({ html: content.html, plain, written: writtenOf(content) });
      await invalidate(client, ['campaign']);
      setPreviewed(undefined);
      toast.done(t('restored'));
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Loaded query={versions}>
      {(rows) =>
        rows.length === 0 ? (
          <Text c="dimmed">{t('versionsNone')}</Text>
        ) : (
          <Stack gap="sm">
            <Text c="dimmed">{t('versionsText')}</Text>
            <Rows
              label={t('versionsText')}
              columns={[
                { name: 'until', title: t('versionUntil'), cell: ({ kept_at }) => <Time at={kept_at} /> },
                { name: 'by', title: t('versionBy'), cell: ({ written_by }) => written_by || '–' },
                { name: 'why', title: t('versionWhy'), cell: ({ replaced_by }) => t.of('replaced', replaced_by) },
                {
                  name: 'length',
                  title: t('versionLength'),
                  figure: true,
                  cell: ({ characters }) => number(characters),
                },
                {
                  name: 'look',
                  title: t('versionLook'),
                  figure: true,
                  cell: ({ version }) => (
                    <Button
                      size="xs"
                      variant="default"
                      onClick={() => setPreviewed(version)}
                      aria-label={t('versionLookAt', { version })}
                    >
                      {t('versionLook')}
                    </Button>
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
                  <Version cid={cid} version={previewed} />
                  {!fixed && (
                    <Group justify="flex-end">
                      <Button onClick={() => restore(previewed)}>{t('restore')}</Button>
                    </Group>
                  )}
                </Stack>
              )}
            </Modal>
          </Stack>
        )
      }
    </Loaded>
  );
}

function Version({ cid, version }: { cid: string; version: number }) {
  const t = useText('composer');
  const answer = useMethod('campaignVersions', { cid, version });
  return (
    <Loaded query={answer}>
      {([content]) => (
        <MailFrame
          html={content?.html || textPage(content?.plain ?? '')}
          title={t('versionTitle', { version })}
          height={480}
        />
      )}
    </Loaded>
  );
}
