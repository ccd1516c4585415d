// A closer look at a single message, in the panel at the side: its recipients and its content.
import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMethod } from '../../api/use-method.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import { ContentOf, Recipients } from './message-parts.tsx';

export default function MessagePeek({ id }: { id: string }) {
  const t = useText('messages');
  const answer = useMethod('messageInfo', { id });
  return (
    <Loaded query={answer}>
      {(message) => (
        <Stack gap="md">
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {message.from_email} · <Time at={message.created_at} />
          </Text>
          <Recipients message={message} />
          <ContentOf message={message} />
          <Button component={Link} to={`/messages/${id}`} variant="default">
            {t('open')}
          </Button>
        </Stack>
      )}
    </Loaded>
  );
}
