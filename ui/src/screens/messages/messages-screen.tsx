// The log of single messages, newest first: a search with @ is for an address, any other for the subject.
import { Group, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { lazy } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Status } from '../../parts/status/status.tsx';
import { Tag } from '../../parts/status/tag.tsx';
import { Neighbours } from '../../parts/table/neighbours.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import { isState, shownState, states, toneOf } from './states.ts';

type Message = ResultOf<'messages'>['data'][number];

const MessagePeek = lazy(() => import('./message-peek.tsx'));
const pageSize = 25;

export function MessagesScreen() {
  const t = useText('messages');
  const search = useTableSearch();
  const state = isState(search.state) ? search.state : undefined;
  const answer = useMethod(
    'messages',
    {
      ...(search.q.includes('@') ? { email: search.q.trim() } : { subject: search.q.trim() }),
      ...(state === 'scheduled' ? { scheduled: true } : state ? { state } : {}),
      start: search.page - 1,
      limit: pageSize,
    },
    { keep: true, refetchInterval: 5_000 },
  );
  const columns: Column<Message>[] = [
    {
      name: 'subject',
      title: t('subject'),
      cell: (message) => (
        <Group gap="xs">
          <LinkAnchor to="/messages/$id" params={{ id: message.id }} fw={500} c="inherit">
            {message.subject || t('noSubject')}
          </LinkAnchor>
          {message.test && <Tag>{t('test')}</Tag>}
        </Group>
      ),
    },
    { name: 'to', title: t('to'), cell: ({ recipients }) => recipients.map(({ email }) => email).join(', ') },
    { name: 'state', title: t('state'), width: '150px', cell: (message) => <States message={message} /> },
    {
      name: 'tags',
      title: t('tags'),
      wideOnly: true,
      cell: ({ tags, purpose }) => (
        <Text c="dimmed">{purpose !== 'message' ? t(`purpose.${purpose}`) : tags.join(', ')}</Text>
      ),
    },
    {
      name: 'sent',
      title: t('created'),
      width: '140px',
      cell: ({ created_at, send_at }) => <Time at={send_at || created_at} />,
    },
  ];
  return (
    <Page>
      <PageHeader title={t('title')} description={t('about')} />
      <div>
        <Rows
          label={t('title')}
          columns={columns}
          brief={(message) => (
            <>
              <States message={message} />
              <span>{message.recipients.map(({ email }) => email).join(', ')}</span>
              <Time at={message.send_at || message.created_at} />
            </>
          )}
          rows={answer.data?.data}
          keyOf={({ id }) => id}
          nameOf={({ subject }) => subject}
          query={answer}
          search={search}
          searchLabel={t('search')}
          chips={states.map((name) => ({ name, label: t(`state.${name}`) }))}
          peek={({ id }) => <MessagePeek id={id} />}
          empty={<Empty icon={IconSend} title={t('emptyTitle')} text={t('emptyText')} />}
        />
        <Neighbours search={search} more={answer.data?.more === true} />
      </div>
    </Page>
  );
}

/** Each state of the recipients once. */
function States({ message }: { message: Message }) {
  const t = useText('messages');
  return (
    <Group gap="xs">
      {[...new Set(message.recipients.map((recipient) => shownState(recipient, message)))].map((state) => (
        <Status key={state} tone={toneOf[state]}>
          {t(`state.${state}`)}
        </Status>
      ))}
    </Group>
  );
}
