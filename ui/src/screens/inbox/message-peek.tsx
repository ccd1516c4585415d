// A closer look at a message of the inbox, in the panel at the side.
import { Code, Stack, Text } from '@mantine/core';
import { useMethod } from '../../api/use-method.ts';
import { LinkButton } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import { Rendered } from './rendered.tsx';
import { useMarkedRead } from './use-read-marks.ts';

export default function MessagePeek({ id }: { id: string }) {
  const t = useText('inbox');
  const answer = useMethod('inboxMessages', { id });
  useMarkedRead(answer.data?.[0]?.id);
  return (
    <Loaded query={answer}>
      {([message]) =>
        message && (
          <Stack gap="md">
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {message.from || message.mail_from} · {message.rcpt_to.join(', ')} · <Time at={message.received} />
            </Text>
            {message.html === '' ? (
              <Code block tabIndex={0} role="region" aria-label={t('view.text')} style={{ whiteSpace: 'pre-wrap' }}>
                {message.text}
              </Code>
            ) : (
              <Rendered message={message} />
            )}
            <LinkButton to="/inbox/$id" params={{ id }} variant="default">
              {t('open')}
            </LinkButton>
          </Stack>
        )
      }
    </Loaded>
  );
}
