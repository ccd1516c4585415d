// Earlier versions of the email, its languages and its variants: what each is, who wrote it, when it was replaced and by what, with preview and restore.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { invalidate, useMethod } from '../../../api/use-method.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { capital } from '../../../text/capital.ts';
import { useLanguageNames } from '../../../text/language-names.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { useDraft } from '../draft.tsx';
import { MailFrame, textPage } from '../preview/mail-frame.tsx';

export function VersionsTab() {
  const t = useText('composer');
  const { cid, editor, takeRestored, flush, fixed } = useDraft();
  const client = useQueryClient();
  const versions = useMethod('campaignVersions', { cid });
  const [previewed, setPreviewed] = useState<number>();
  const [restoring, setRestoring] = useState<number>();

  const restore = async (version: number) => {
    setRestoring(version);
    try {
      await flush();
      await call('campaignVersionRestore', { cid, version, editor });
      await takeRestored();
      await invalidate(client, ['campaign']);
      setPreviewed(undefined);
      toast.done(t('restored'));
    } catch (error) {
      toast.failed(error);
    } finally {
      setRestoring(undefined);
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
                { name: 'what', title: t('versionWhat'), cell: (row) => <What version={row} /> },
                {
                  name: 'by',
                  title: t('versionBy'),
                  cell: (row) => row.written_by || (row === first(rows) ? t('versionFirst') : '–'),
                },
                {
                  name: 'why',
                  title: t('versionWhy'),
                  cell: ({ replaced_by }) => capital(t.of('replaced', replaced_by)),
                },
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
                      {!fixed && (
                        <Button
                          size="xs"
                          variant="default"
                          loading={restoring === version}
                          disabled={restoring !== undefined}
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
            <Look version={previewed} onClose={() => setPreviewed(undefined)} onRestore={fixed ? undefined : restore} />
          </Stack>
        )
      }
    </Loaded>
  );
}

/** What the campaign was created with: no one has written it. */
const first = (rows: ResultOf<'campaignVersions'>) => rows.findLast(({ part }) => part === 'content');

type LookProps = { version: number | undefined; onClose(): void; onRestore: ((version: number) => void) | undefined };

/** An earlier version as it would be read. */
function Look({ version, onClose, onRestore }: LookProps) {
  const t = useText('composer');
  const { cid } = useDraft();
  return (
    <Modal
      opened={version !== undefined}
      onClose={onClose}
      title={t('versionTitle', { version: version ?? 0 })}
      size="xl"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {version !== undefined && (
        <Stack gap="md">
          <Version cid={cid} version={version} />
          {onRestore && (
            <Group justify="flex-end">
              <Button onClick={() => onRestore(version)}>{t('restore')}</Button>
            </Group>
          )}
        </Stack>
      )}
    </Modal>
  );
}

/** Which text it is, how it was written, and how it begins. */
function What({ version }: { version: ResultOf<'campaignVersions'>[number] }) {
  const t = useText('composer');
  const language = useLanguageNames();
  const { part, name, subject, beginning, source_format } = version;
  const which =
    part === 'languages'
      ? language(name)
      : part === 'test'
        ? t('variant', { name })
        : t(source_format === 'markdown' || source_format === 'mjml' ? `tab.${source_format}` : 'versionEmail');
  return (
    <div className={classes.versionWhat}>
      <Text size="sm" fw={500}>
        {subject === '' ? which : `${which}: ${subject}`}
      </Text>
      <Text size="xs" c="dimmed" className={classes.oneLine} title={beginning}>
        {beginning}
      </Text>
    </div>
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
