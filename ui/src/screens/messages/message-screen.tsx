// A single message: what became of each recipient, and what it contained, in a frame without scripts. It can be sent again.
import { Button, Stack, Text } from '@mantine/core';
import { IconRepeat, IconX } from '@tabler/icons-react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { useFormats } from '../../parts/formats.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { LoadingPage } from '../../parts/loading-page.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { ContentOf, type Message, Recipients } from './message-parts.tsx';
import { shownState } from './states.ts';

export function SingleMessageScreen() {
  const t = useText('messages');
  const { id } = useParams({ strict: false }) as { id: string };
  const answer = useMethod('messageGet', { id }, { refetchInterval: 5_000 });
  const message = answer.data;
  const back = { to: '/messages', label: t('title') } as const;
  if (!message) return <LoadingPage title={t('message')} back={back} query={answer} />;
  return (
    <Page>
      <PageHeader
        title={message.subject || t('noSubject')}
        back={back}
        actions={
          message.has_content && (
            <>
              <Cancel message={message} />
              <SendAgain message={message} />
            </>
          )
        }
        description={
          <Stack gap={2}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {t('from')}:{' '}
              {message.from_name === '' ? message.from_email : `${message.from_name} <${message.from_email}>`}
            </Text>
            <Text size="sm">
              {t(`via.${message.via}`)}: <Time at={message.created_at} />
            </Text>
            {message.test && <Text size="sm">{t('testAbout')}</Text>}
            {message.send_at !== '' && (
              <Text size="sm">
                {t('scheduledFor')}: <Time at={message.send_at} />
              </Text>
            )}
            {message.purpose !== 'message' && <Text size="sm">{t(`purpose.${message.purpose}`)}</Text>}
            {message.copy_of !== '' && (
              <LinkAnchor to="/messages/$id" params={{ id: message.copy_of }} size="sm">
                {t('copyOf')}
              </LinkAnchor>
            )}
            {message.tags.length > 0 && (
              <Text size="sm">
                {t('tags')}: {message.tags.join(', ')}
              </Text>
            )}
          </Stack>
        }
      />
      <Section title={t('recipients')}>
        <Recipients message={message} />
      </Section>
      <Section title={t('content')}>
        <ContentOf message={message} />
      </Section>
    </Page>
  );
}

/** While it waits for its time. */
function Cancel({ message }: { message: Message }) {
  const t = useText('messages');
  const { may } = useSession();
  const cancel = useMutate('messageCancel');
  const waits = message.recipients.some((recipient) => shownState(recipient, message) === 'scheduled');
  if (!waits || message.via === 'system' || !may('messages:send')) return null;
  const onCancel = async () => {
    const question = { title: t('cancelTitle'), text: t('cancelText'), action: t('cancelDo'), danger: true };
    if (!(await confirm(question))) return;
    try {
      await cancel.mutateAsync({ id: message.id });
      toast.done(t('cancelDone'));
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Button
      variant="default"
      leftSection={<IconX size={16} aria-hidden />}
      loading={cancel.isPending}
      onClick={onCancel}
    >
      {t('cancelDo')}
    </Button>
  );
}

function SendAgain({ message }: { message: Message }) {
  const t = useText('messages');
  const { may } = useSession();
  const { number } = useFormats();
  const navigate = useNavigate();
  const send = useMutate('messageSendAgain');
  if (!may('messages:send')) return null;
  const onSend = async () => {
    const count = message.recipients.length;
    const question = {
      title: t('againTitle'),
      text: t('againText', { count, recipients: number(count) }),
      action: t('again'),
    };
    if (!(await confirm(question))) return;
    try {
      const { id } = await send.mutateAsync({ id: message.id });
      toast.done(t('againDone'));
      await navigate({ to: '/messages/$id', params: { id } });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Button
      variant="default"
      leftSection={<IconRepeat size={16} aria-hidden />}
      loading={send.isPending}
      onClick={onSend}
    >
      {t('again')}
    </Button>
  );
}
