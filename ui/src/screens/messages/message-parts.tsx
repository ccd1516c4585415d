// The recipients of a single message with what became of each, and its content in a frame without scripts.
import { Code, Stack, Text } from '@mantine/core';
import { homeUrl } from '../../api/base-path.ts';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Status } from '../../parts/status/status.tsx';
import { Tag } from '../../parts/status/tag.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useText } from '../../text/use-text.tsx';
import { frameOf } from '../inbox/mail-frame.ts';
import { shownState, toneOf } from './states.ts';

export type Message = ResultOf<'messageGet'>;
type Content = ResultOf<'messageContent'>;

type Recipient = Message['recipients'][number];

export function Recipients({ message }: { message: Message }) {
  const t = useText('messages');
  const { number } = useFormats();
  const reasonOf = (reason: string) => (reason === 'cancelled' ? t('cancelled') : reason);
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
          <Status tone={recipient.bounce === '' ? toneOf[shownState(recipient, message)] : 'bad'}>
            {t(`state.${shownState(recipient, message)}`)}
          </Status>
          <Text c="dimmed" size="xs">
            {recipient.complained
              ? t('complained')
              : recipient.bounce || (recipient.unsubscribed ? t('unsubscribed') : reasonOf(recipient.reason))}
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

/** The content, or why there is none. */
export function ContentOf({ message: { id, has_content, via } }: { message: Message }) {
  const t = useText('messages');
  const answer = useMethod('messageContent', { id }, { enabled: has_content });
  if (!has_content) return <Text c="dimmed">{t(via === 'system' ? 'noContent' : 'contentGone')}</Text>;
  return <Loaded query={answer}>{(content) => <Frame content={content} />}</Loaded>;
}

function Frame({ content }: { content: Content }) {
  const t = useText('messages');
  const { bytes } = useFormats();
  return (
    <Stack>
      {content.html === '' ? (
        <Code block tabIndex={0} role="region" aria-label={t('frame')} style={{ whiteSpace: 'pre-wrap' }}>
          {content.plain}
        </Code>
      ) : (
        <iframe
          title={t('frame')}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          srcDoc={frameOf(content.html, { remote: false, home: homeUrl() })}
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
          {t('attachments')}: {content.attachments.map(({ name, size }) => `${name} (${bytes(size)})`).join(', ')}
        </Text>
      )}
    </Stack>
  );
}
