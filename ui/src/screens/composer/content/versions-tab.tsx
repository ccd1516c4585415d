// Earlier versions of the email, its languages and its variants: what each is, who wrote it, when it was replaced and by what, with preview and restore.
import { Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { invalidate, useMethod } from '../../../api/use-method.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Tagged } from '../../../parts/tagged/tagged.tsx';
import { capital } from '../../../text/capital.ts';
import { useLanguageNames } from '../../../text/language-names.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { useDraft } from '../draft.tsx';
import { MailFrame, textPage } from '../preview/mail-frame.tsx';
import { EarlierVersions } from './earlier-versions.tsx';

export function VersionsTab() {
  const t = useText('composer');
  const { cid, editor, takeRestored, flush, fixed } = useDraft();
  const client = useQueryClient();
  const versions = useMethod('campaignVersions', { cid });
  const restore = async (version: number) => {
    await flush();
    await call('campaignVersionRestore', { cid, version, editor });
    await takeRestored();
    await invalidate(client, ['campaign']);
  };
  return (
    <Loaded query={versions}>
      {(rows) =>
        rows.length === 0 ? (
          <Text c="dimmed">{t('versionsNone')}</Text>
        ) : (
          <Stack gap="sm">
            <Text c="dimmed">{t('versionsText')}</Text>
            <EarlierVersions
              label={t('versionsText')}
              rows={rows}
              what={{ name: 'what', title: t('versionWhat'), cell: (row) => <What version={row} /> }}
              why={{
                name: 'why',
                title: t('versionWhy'),
                cell: ({ replaced_by }) => capital(t.of('replaced', replaced_by)),
              }}
              byDefault={(row) => (row === first(rows) ? t('versionFirst') : '–')}
              preview={(version) => <Version cid={cid} version={version} />}
              onRestore={fixed ? undefined : restore}
            />
          </Stack>
        )
      }
    </Loaded>
  );
}

/** What the campaign was created with: no one has written it. */
const first = (rows: ResultOf<'campaignVersions'>) => rows.findLast(({ part }) => part === 'content');

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
        <Tagged>{subject === '' ? which : `${which}: ${subject}`}</Tagged>
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
