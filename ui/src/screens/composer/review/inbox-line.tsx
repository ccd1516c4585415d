// The message as a line of the recipient's inbox, as wide as on a computer and as on a phone.
import { Avatar, Box, Text } from '@mantine/core';
import { useMethod } from '../../../api/use-method.ts';
import { firstWords } from '../../../parts/first-words.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { useDraft } from '../draft.tsx';

export function InboxLines() {
  const t = useText('composer');
  const { cid, values } = useDraft();
  const { data } = useMethod('campaignPreview', { cid }, { keep: true });
  const from = data?.from_name || values.from_name;
  const subject = data?.subject ?? values.subject;
  const words = data ? firstWords(data.html, data.plain) : '';
  return (
    <figure className={classes.inboxLines}>
      {(['desktop', 'phone'] as const).map((device) => (
        <div key={device}>
          <Text size="sm" c="dimmed" mb={4}>
            {t(device)}
          </Text>
          <Box className={classes.inbox} data-device={device}>
            <Avatar name={from} color="initials" radius="xl" size={36} variant="default" aria-hidden />
            <Text fw={600} className={classes.oneLine}>
              {from}
            </Text>
            <Text size="xs" c="dimmed" className={classes.inboxTime}>
              {t('inboxNow')}
            </Text>
            <Text className={classes.inboxWords}>
              <Text span inherit fw={500}>
                {subject}
              </Text>
              <Text span inherit c="dimmed">
                {device === 'desktop' && words !== '' && ' – '}
                <span>{words}</span>
              </Text>
            </Text>
          </Box>
        </div>
      ))}
      {data?.contact && (
        <Text component="figcaption" size="xs" c="dimmed">
          {t('inboxFor', { email: data.contact })}
        </Text>
      )}
    </figure>
  );
}
