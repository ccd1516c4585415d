// Asks which version stays when another editor has changed what was typed here. It stays open until the user has chosen.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Facts } from '../../../parts/facts/facts.tsx';
import { parseTime, useFormats } from '../../../parts/formats.ts';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import { useDraft } from '../draft.tsx';
import { partOf, readDraft } from './read-draft.ts';

export function ConflictDialog() {
  const t = useText('composer');
  const formats = useFormats();
  const { conflicts, keepMine, loadOther } = useDraft();
  const [busy, setBusy] = useState<'load' | 'keep'>();
  const last = conflicts.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1);
  const at = parseTime(last?.at);
  const when = at ? formats.relative(at) : '';
  const title = !last
    ? ''
    : last.self
      ? t('conflictSelf', { when })
      : last.who
        ? t('conflictBy', { name: last.who, when })
        : t('conflictUnknown', { when });
  const choose = async (what: 'load' | 'keep') => {
    setBusy(what);
    try {
      await (what === 'load' ? loadOther() : keepMine());
      if (what === 'load') toast.done(t('conflictLoaded'));
    } catch (error) {
      toast.failed(error);
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <Modal
      opened={last !== undefined}
      onClose={() => {}}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        {/* Not a button, which the next letter that is typed would press. */}
        <Text tabIndex={-1} data-autofocus className="led-to">
          {t(conflicts.some(({ name }) => hasHistory.has(partOf(name))) ? 'conflictText' : 'conflictSettings')}
        </Text>
        {last && <Compared />}
        <Group justify="flex-end">
          <Button variant="default" loading={busy === 'load'} disabled={busy === 'keep'} onClick={() => choose('load')}>
            {t('conflictLoad')}
          </Button>
          <Button loading={busy === 'keep'} disabled={busy === 'load'} onClick={() => choose('keep')}>
            {t('conflictKeep')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Of these parts the version that is not chosen stays in History. */
const hasHistory: ReadonlySet<string> = new Set(['content', 'languages', 'test']);

/** The texts of one line that differ, side by side: no history keeps them. */
const lines = { subject: 'subject', preview_text: 'previewText', from_name: 'fromName', title: 'title' } as const;

function Compared() {
  const t = useText('composer');
  const { cid, conflicts, values } = useDraft();
  const names = (Object.keys(lines) as (keyof typeof lines)[]).filter((line) =>
    conflicts.some(({ name }) => name === line),
  );
  const versions = conflicts.map(({ name, version }) => `${name} ${version}`);
  const other = useQuery({
    queryKey: ['composer-other', cid, ...versions],
    queryFn: () => readDraft(cid),
    enabled: names.length > 0,
  });
  if (names.length === 0 || !other.data) return null;
  const { values: theirs } = other.data;
  return names.map((name) => (
    <Stack key={name} gap={4}>
      <Text fw={600}>{t(lines[name])}</Text>
      <Facts
        label={t(lines[name])}
        facts={[
          [t('conflictOther'), theirs[name]],
          [t('conflictMine'), values[name]],
        ]}
      />
    </Stack>
  ));
}
