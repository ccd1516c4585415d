// One variant of the A/B test: what it has of its own. An empty field is as in the campaign, which its placeholder shows.
import { ActionIcon, Button, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { variantName } from '../../../../../src/campaigns/model/division.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { TagField } from '../content/merge-tags.tsx';
import { previewTextOf } from '../content/preview-text.ts';
import { useDraft } from '../draft.tsx';
import type { VariantDraft } from './test-values.ts';

const VariantContent = lazy(() => import('./variant-content.tsx'));

type Props = {
  variant: number;
  values: VariantDraft;
  onChange(part: Partial<VariantDraft>): void;
  onRemove(): void;
};

export function VariantCard({ variant, values: own, onChange, onRemove }: Props) {
  const t = useText('composer');
  const { values, type, fixed } = useDraft();
  const [writing, setWriting] = useState(false);
  const name = variantName(variant);
  const plainOnly = type === 'plain text';
  const part = plainOnly ? 'plain' : 'html';
  const hasContent = own[part] !== '';
  const write = () => {
    // It begins as the campaign is now.
    if (!hasContent) onChange({ [part]: values[part] });
    setWriting(true);
  };
  return (
    <fieldset className={classes.variant} aria-label={t('variant', { name })}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Text fw={600}>{t('variant', { name })}</Text>
          {!fixed && (
            <Tooltip label={t('variantRemove', { name })}>
              <ActionIcon variant="subtle" color="gray" aria-label={t('variantRemove', { name })} onClick={onRemove}>
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
        <TagField
          label={t('subject')}
          placeholder={values.subject}
          value={own.subject}
          onText={(subject) => onChange({ subject })}
          disabled={fixed}
        />
        {!plainOnly && (
          <TagField
            label={t('previewText')}
            placeholder={values.preview_text || previewTextOf(own.html || values.html)}
            value={own.preview_text}
            onText={(preview_text) => onChange({ preview_text })}
            disabled={fixed}
          />
        )}
        <TagField
          label={t('fromName')}
          placeholder={values.from_name}
          value={own.from_name}
          onText={(from_name) => onChange({ from_name })}
          disabled={fixed}
        />
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed">
            {t(hasContent ? 'variantOwnContent' : 'variantSameContent')}
          </Text>
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={write} disabled={fixed && !hasContent}>
              {t(hasContent ? 'variantEdit' : 'variantWrite')}
            </Button>
            {hasContent && !fixed && (
              <Button size="xs" variant="subtle" onClick={() => onChange({ html: '', plain: '' })}>
                {t('variantDrop')}
              </Button>
            )}
          </Group>
        </Group>
      </Stack>
      {writing && (
        <Suspense fallback={null}>
          <VariantContent
            name={name}
            text={own[part]}
            onText={(text) => onChange({ [part]: text })}
            plainOnly={plainOnly}
            fixed={fixed}
            onClose={() => setWriting(false)}
          />
        </Suspense>
      )}
    </fieldset>
  );
}
