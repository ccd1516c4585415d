// Earlier versions of a template: who wrote each, until when it was in use, with preview and restore.
import { Text } from '@mantine/core';
import { call } from '../../api/call.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { useText } from '../../text/use-text.tsx';
import { EarlierVersions } from '../composer/content/earlier-versions.tsx';
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
  const onRestore = async (version: number) => {
    const [earlier] = await call('templateVersions', { template_id: id, version });
    await restore.mutateAsync({ template_id: id, version });
    if (earlier) onRestored(earlier);
  };
  return (
    <Loaded query={versions}>
      {(rows) =>
        rows.length === 0 ? (
          <Text c="dimmed">{t('historyNone')}</Text>
        ) : (
          <EarlierVersions
            label={t('history')}
            rows={rows}
            what={{ name: 'subject', title: t('subject'), cell: ({ subject }) => <Tagged>{subject || '–'}</Tagged> }}
            preview={(version) => <Version id={id} version={version} />}
            onRestore={onRestore}
            refused={fixed ? t('restoreUnsaved') : undefined}
          />
        )
      }
    </Loaded>
  );
}

function Version({ id, version }: { id: string; version: number }) {
  const answer = useMethod('templateVersions', { template_id: id, version });
  const title = useText('composer')('versionTitle', { version });
  return <Loaded query={answer}>{([found]) => <MailFrame html={found?.source ?? ''} title={title} />}</Loaded>;
}
