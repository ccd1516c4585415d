// Sender, reply address and subject, and how an inbox shows them.
import { Avatar, Box, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMethod } from '../../api/use-method.ts';
import { useText } from '../../text/use-text.tsx';
import classes from './composer.module.css';
import { TagField } from './content/merge-tags.tsx';
import { useDraft } from './draft.tsx';
import { FromFields } from './from-fields.tsx';

export function FromSection() {
  const t = useText('composer');
  const { values, change, fault, fixed } = useDraft();
  return (
    <Stack gap="md">
      <TagField
        label={t('subject')}
        name="subject"
        value={values.subject}
        onText={(subject) => change({ subject })}
        error={fault('subject')}
        disabled={fixed}
        required
        withAsterisk={false}
      />
      <FromFields />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <TextInput
          label={t('replyTo')}
          name="from_email"
          type="email"
          value={values.from_email}
          onChange={(event) => change({ from_email: event.currentTarget.value })}
          error={fault('from_email')}
          disabled={fixed}
        />
        <TagField
          label={t('toName')}
          name="to_email"
          description={t('toNameHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={values.to_email}
          onText={(to_email) => change({ to_email })}
          error={fault('to_email')}
          disabled={fixed}
        />
      </SimpleGrid>
      <TextInput
        label={t('title')}
        name="title"
        description={t('titleHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={values.title}
        onChange={(event) => change({ title: event.currentTarget.value })}
        error={fault('title')}
        disabled={fixed}
      />
      <InboxPreview />
    </Stack>
  );
}

/** The message as a line of the recipient's inbox. */
function InboxPreview() {
  const t = useText('composer');
  const { cid, values } = useDraft();
  const { data } = useMethod('campaignPreview', { cid }, { keep: true });
  const from = data?.from_name ?? values.from_name;
  return (
    <figure style={{ margin: 0 }}>
      <Text component="figcaption" size="sm" fw={500} mb={4}>
        {t('inboxLine')}
      </Text>
      <Box className={classes.inbox}>
        <Avatar
          name={from}
          color="initials"
          radius="xl"
          size={36}
          variant="default"
          aria-hidden
          style={{ gridRow: 'span 2' }}
        />
        <Text fw={600} className={classes.oneLine}>
          {from}
        </Text>
        <Text size="xs" c="dimmed">
          {t('inboxNow')}
        </Text>
        <Text className={classes.oneLine} style={{ gridColumn: '2 / -1' }}>
          <Text span inherit fw={500}>
            {data?.subject ?? values.subject}
          </Text>
          <Text span inherit c="dimmed">
            {' – '}
            {data ? firstWords(data.html, data.plain) : ''}
          </Text>
        </Text>
      </Box>
      {data?.contact && (
        <Text size="xs" c="dimmed" mt={4}>
          {t('inboxFor', { email: data.contact })}
        </Text>
      )}
    </figure>
  );
}

/** The beginning of the text, which inboxes show after the subject. Parsing a document runs no script. */
function firstWords(html: string, plain: string): string {
  if (html === '') return plain.slice(0, 140);
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const element of page.querySelectorAll('style, script, title')) element.remove();
  return (page.body.textContent ?? '')
    .replace(/(?:\s|\u034f|[\u200b-\u200f\u2060\ufeff])+/g, ' ')
    .trim()
    .slice(0, 140);
}
