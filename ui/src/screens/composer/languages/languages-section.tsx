// The language versions of the campaign: for each language its own subject and content.
import { ActionIcon, Button, Group, Select, Stack, Text, Tooltip } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useLanguageNames } from '../../../text/language-names.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { TagField } from '../content/merge-tags.tsx';
import { useDraft } from '../draft.tsx';
import { type LanguageDraft, offeredLanguages } from './language-values.ts';

const VariantContent = lazy(() => import('../ab-test/variant-content.tsx'));

/** @param correcting some have it, or it is being sent: only an email whose recipients come one by one gets other languages */
export function LanguagesSection({ correcting }: { correcting: boolean }) {
  const t = useText('composer');
  const { values, change, fault, fixed, type } = useDraft();
  const isChoosable = !fixed && (!correcting || type === 'auto');
  const names = useLanguageNames();
  const [chosen, setChosen] = useState<string | null>(null);
  const { languages } = values;
  const used = languages.map(({ language }) => language);
  const add = () => {
    if (!chosen) return;
    const { subject, preview_text, html, plain } = values;
    // It begins as the campaign is now.
    const version = { language: chosen, subject, preview_text, from_name: '', html, plain };
    change({ languages: [...languages, version] });
    setChosen(null);
  };
  const problem = fault('languages');
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t(values.test.on ? 'notWithTest' : 'languagesAbout')}
        {correcting && isChoosable && ` ${t('languagesCorrecting')}`}
      </Text>
      {languages.map((version, at) => (
        <Version
          key={version.language}
          name={names(version.language)}
          version={version}
          onChange={(part) =>
            change({ languages: languages.map((other, n) => (n === at ? { ...other, ...part } : other)) })
          }
          onRemove={isChoosable ? () => change({ languages: languages.filter((_, n) => n !== at) }) : undefined}
        />
      ))}
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
      {isChoosable && !values.test.on && (
        <Group gap="xs" align="flex-end">
          <Select
            flex={1}
            label={t('languageNew')}
            data={offeredLanguages
              .filter((tag) => !used.includes(tag))
              .map((tag) => ({ value: tag, label: names(tag) }))}
            value={chosen}
            onChange={setChosen}
            searchable
          />
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={chosen === null}
            onClick={add}
          >
            {t('languageAdd')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

type VersionProps = {
  name: string;
  version: LanguageDraft;
  onChange(part: Partial<LanguageDraft>): void;
  /** Undefined if it stays. */
  onRemove: (() => void) | undefined;
};

function Version({ name, version, onChange, onRemove }: VersionProps) {
  const t = useText('composer');
  const { values, type, fixed } = useDraft();
  const [writing, setWriting] = useState(false);
  const part = type === 'plain text' ? 'plain' : 'html';
  return (
    <fieldset className={classes.variant} aria-label={name}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Text fw={600}>{name}</Text>
          {onRemove && (
            <Tooltip label={t('languageRemove', { name })}>
              <ActionIcon variant="subtle" color="gray" aria-label={t('languageRemove', { name })} onClick={onRemove}>
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
        <TagField
          label={t('subject')}
          value={version.subject}
          onText={(subject) => onChange({ subject })}
          disabled={fixed}
        />
        {part === 'html' && (
          <TagField
            label={t('previewText')}
            value={version.preview_text}
            onText={(preview_text) => onChange({ preview_text })}
            disabled={fixed}
          />
        )}
        <TagField
          label={t('fromName')}
          placeholder={values.from_name}
          value={version.from_name}
          onText={(from_name) => onChange({ from_name })}
          disabled={fixed}
        />
        <Group>
          <Button size="xs" variant="default" onClick={() => setWriting(true)}>
            {t('languageEdit')}
          </Button>
        </Group>
      </Stack>
      {writing && (
        <Suspense fallback={null}>
          <VariantContent
            name={name}
            text={version[part]}
            onText={(text) => onChange({ [part]: text })}
            plainOnly={part === 'plain'}
            fixed={fixed}
            onClose={() => setWriting(false)}
          />
        </Suspense>
      )}
    </fieldset>
  );
}
