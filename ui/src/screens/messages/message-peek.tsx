// A closer look at a single message, in the panel at the side: its recipients and its content.
import { Stack, Text } from '@mantine/core';
import { useMethod } from '../../api/use-method.ts';
import { LinkButton } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import { ContentOf, Recipients } from './message-parts.tsx';

export default function MessagePeek({ id }: { id: string }) {
  const t = useText('messages');
  const answer = useMethod('messageGet', { id });
  return (
    <Loaded query={answer}>
      {(message) => (
        <Stack gap="md">
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {message.from_email} · <Time at={message.send_at || message.created_at} />
          </Text>
          <Recipients message={message} />
          <ContentOf message={message} />
          <LinkButton to="/messages/$id" params={{ id }} variant="default">
            {t('open')}
          </LinkButton>
        </Stack>
      )}
    </Loaded>
  );
}
