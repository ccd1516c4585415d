// A single message: what became of each recipient, and what it contained, in a frame without scripts. It can be sent again.
import { Anchor, Button, Code, Stack, Text } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { useFormats } from '../../parts/formats.ts';
import { Lines, Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Status } from '../../parts/status/status.tsx';
import { Tag } from '../../parts/status/tag.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { frameOf } from '../inbox/mail-frame.ts';
import { isPurpose, isState, isVia, toneOf } from './states.ts';

type Message = ResultOf<'messageInfo'>;
type Content = ResultOf<'messageContent'>;

export function SingleMessageScreen() {
  const t = useText('messages');
  const { id } = useParams({ strict: false }) as { id: string };
  const answer = useMethod('messageInfo', { id }, { refetchInterval: 5_000 });
  const message = answer.data;
  const back = { to: '/messages', label: t('title') };
  if (!message)
    return (
      <Page>
        <PageHeader title={t('message')} back={back} />
        {answer.error ? <FaultNote error={answer.error} onRetry={() => answer.refetch()} /> : <Lines />}
      </Page>
    );
  return (
    <Page>
      <PageHeader
        title={message.subject || t('noSubject')}
        back={back}
        actions={message.has_content && <SendAgain message={message} />}
        description={
          <Stack gap={2}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {t('from')}:{' '}
              {message.from_name === '' ? message.from_email : `${message.from_name} <${message.from_email}>`}
            </Text>
            <Text size="sm">
              {t(isVia(message.via) ? `via.${message.via}` : 'via.api')}: <Time at={message.created_at} />
            </Text>
            {isPurpose(message.purpose) && <Text size="sm">{t(`purpose.${message.purpose}`)}</Text>}
            {message.copy_of !== '' && (
              <Anchor component={Link} to={`/messages/${message.copy_of}`} size="sm">
                {t('copyOf')}
              </Anchor>
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
        {message.has_content ? (
          <Shown id={message.id} />
        ) : (
          <Text c="dimmed">{t(message.via === 'system' ? 'noContent' : 'contentGone')}</Text>
        )}
      </Section>
    </Page>
  );
}

function SendAgain({ message }: { message: Message }) {
  const t = useText('messages');
  const { may } = useSession();
  const { number } = useFormats();
  const navigate = useNavigate();
  const send = useMutate('messageSendAgain');
  if (!may('send')) return null;
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
      await navigate({ to: `/messages/${id}` });
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

type Recipient = Message['recipients'][number];

function Recipients({ message }: { message: Message }) {
  const t = useText('messages');
  const { number } = useFormats();
  const columns: Column<Recipient>[] = [
    {
      name: 'address',
      title: t('address'),
      cell: ({ email, type }) => (
        <>
          {email} {type !== 'to' && <Tag>{type}</Tag>}
        </>
      ),
    },
    {
      name: 'state',
      title: t('state'),
      cell: (recipient) => (
        <div>
          {isState(recipient.state) && (
            <Status tone={recipient.bounce === '' ? toneOf[recipient.state] : 'bad'}>
              {t(`state.${recipient.state}`)}
            </Status>
          )}
          <Text c="dimmed" size="xs">
            {recipient.complained
              ? t('complained')
              : recipient.bounce || (recipient.unsubscribed ? t('unsubscribed') : recipient.reason)}
          </Text>
        </div>
      ),
    },
    { name: 'opens', title: t('opens'), figure: true, width: '90px', cell: ({ opens }) => number(opens) },
    { name: 'clicks', title: t('clicks'), figure: true, width: '90px', cell: ({ clicks }) => number(clicks) },
    { name: 'reply', title: t('reply'), cell: ({ reply }) => reply || '–' },
  ];
  return (
    <Rows
      label={t('recipients')}
      columns={columns}
      rows={message.recipients}
      keyOf={({ type, email }) => `${type} ${email}`}
      nameOf={({ email }) => email}
      empty={null}
    />
  );
}

function Shown({ id }: { id: string }) {
  const answer = useMethod('messageContent', { id });
  return <Loaded query={answer}>{(content) => <ContentOf content={content} />}</Loaded>;
}

function ContentOf({ content }: { content: Content }) {
  const t = useText('messages');
  const { compact } = useFormats();
  return (
    <Stack>
      {content.html === '' ? (
        <Code block tabIndex={0} role="region" aria-label={t('content')} style={{ whiteSpace: 'pre-wrap' }}>
          {content.plain}
        </Code>
      ) : (
        <iframe
          title={t('frame')}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          srcDoc={frameOf(content.html, { remote: false, origin: window.location.origin })}
          style={{
            width: '100%',
            height: '60vh',
            minHeight: 320,
            border: '1px solid var(--line)',
            borderRadius: 8,
            background: '#fff',
            colorScheme: 'light',
          }}
        />
      )}
      {content.attachments.length > 0 && (
        <Text size="sm">
          {t('attachments')}: {content.attachments.map(({ name, size }) => `${name} (${compact(size)}B)`).join(', ')}
        </Text>
      )}
    </Stack>
  );
}
