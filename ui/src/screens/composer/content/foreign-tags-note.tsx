// Above the editors of an email that was pasted or imported from another program: its merge tags, which readers would get as text, with
// what means the same here, and what mailboxes remove.
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useDeferredValue } from 'react';
import { type ForeignTag, foreignTags, withoutCode } from '../../../../../src/base/foreign-tags.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { type DraftValues, useDraft } from '../draft.tsx';
import { useFields } from './merge-tags.tsx';
import { withTagsOfOurs } from './tags-of-ours.ts';

/** So many tags are listed. */
const listed = 6;

export function ForeignTagsNote() {
  const t = useText('composer');
  const { values, change, fixed } = useDraft();
  const fields = useFields().map(({ tag }) => tag);
  const texts = useDeferredValue(textsOf(values).join('\n'));
  const tags = foreignTags(withoutCode(texts), fields);
  const hasScript = /<script\b/i.test(texts);
  if (fixed || (tags.length === 0 && !hasScript)) return null;
  const replace = (chosen: readonly ForeignTag[]) => change(withTagsOfOurs(values, chosen));
  const replaceable = tags.filter(({ replacement }) => replacement);
  return (
    <Alert
      variant="outline"
      color="yellow.8"
      icon={<IconAlertTriangle aria-hidden />}
      role="region"
      aria-label={t('foreignTags')}
      mb="md"
    >
      <Stack gap="sm">
        {tags.length > 0 && (
          <Group justify="space-between" gap="sm">
            <Text maw="70ch">{t('foreignTagsFound', { count: tags.length })}</Text>
            {replaceable.length > 1 && (
              <Button size="xs" onClick={() => replace(replaceable)}>
                {t('foreignTagsReplace', { count: replaceable.length })}
              </Button>
            )}
          </Group>
        )}
        {tags.length > 0 && (
          <ul className={classes.foreignTags}>
            {tags.slice(0, listed).map((tag) => (
              <li key={tag.found}>
                <Code>{tag.found}</Code>
                {tag.replacement ? (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={t('foreignTagReplaceOf', { tag: tag.found, by: tag.replacement })}
                    onClick={() => replace([tag])}
                  >
                    {t('foreignTagReplace', { by: tag.replacement })}
                  </Button>
                ) : (
                  <Text size="sm" c="dimmed">
                    {t('foreignTagUnknown')}
                  </Text>
                )}
              </li>
            ))}
          </ul>
        )}
        {tags.length > listed && <Text size="sm">{t('foreignTagsMore', { count: tags.length - listed })}</Text>}
        {hasScript && <Text>{t('scriptsRemoved')}</Text>}
      </Stack>
    </Alert>
  );
}

/** The texts that people write. The HTML of Markdown or MJML is made from it. */
const textsOf = ({ subject, preview_text, html, plain, written }: DraftValues): string[] => [
  subject,
  preview_text,
  written.format === 'html' ? html : written.source,
  plain,
];
