// The messages in the built-in inbox, newest first, refreshed automatically; those that were not read are marked.
import { Button, Text, VisuallyHidden } from '@mantine/core';
import { IconInbox, IconMailOpened } from '@tabler/icons-react';
import { lazy } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Tag } from '../../parts/status/tag.tsx';
import { Neighbours } from '../../parts/table/neighbours.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import classes from './inbox.module.css';
import { useReadMarks } from './use-read-marks.ts';

export type Message = ResultOf<'inboxMessages'>[number];

const MessagePeek = lazy(() => import('./message-peek.tsx'));
const pageSize = 25;

export function InboxScreen() {
  const t = useText('inbox');
  const search = useTableSearch();
  const answer = useMethod(
    'inboxMessages',
    { contains: search.q, start: search.page - 1, limit: pageSize },
    { keep: true, refetchInterval: 3_000 },
  );
  const marks = useReadMarks();
  const rows = answer.data ?? [];
  const unread = rows.filter(({ id }) => marks.isUnread(id)).length;
  // Nothing is known of the pages behind this one.
  const isMore = unread === pageSize;
  const columns: Column<Message>[] = [
    {
      name: 'subject',
      title: t('subject'),
      cell: (message) => (
        <span className={classes.subject}>
          <span className={classes.dot} data-unread={marks.isUnread(message.id) || undefined} aria-hidden />
          <LinkAnchor
            to="/inbox/$id"
            params={{ id: message.id }}
            fw={marks.isUnread(message.id) ? 600 : 400}
            c="inherit"
          >
            {marks.isUnread(message.id) && <VisuallyHidden>{t('unreadMark')} </VisuallyHidden>}
            {message.subject || t('noSubject')}
          </LinkAnchor>
        </span>
      ),
    },
    { name: 'to', title: t('to'), cell: ({ rcpt_to }) => rcpt_to.join(', ') },
    { name: 'from', title: t('from'), wideOnly: true, cell: ({ from }) => <Text c="dimmed">{from}</Text> },
    { name: 'received', title: t('received'), width: '140px', cell: ({ received }) => <Time at={received} /> },
  ];
  return (
    <Page>
      <PageHeader
        title={t('title')}
        description={t('about')}
        status={unread > 0 && <Tag>{t(isMore ? 'unreadMore' : 'unread', { count: unread })}</Tag>}
        actions={
          unread > 0 &&
          search.page === 1 && (
            <Button
              variant="default"
              leftSection={<IconMailOpened size={16} aria-hidden />}
              onClick={() => marks.markAllRead(rows[0]!.id)}
            >
              {t('markAllRead')}
            </Button>
          )
        }
      />
      <div>
        <Rows
          label={t('title')}
          columns={columns}
          brief={({ rcpt_to, received }) => (
            <>
              <span>{rcpt_to.join(', ')}</span>
              <Time at={received} />
            </>
          )}
          rows={answer.data}
          keyOf={({ id }) => id}
          nameOf={({ subject }) => subject}
          query={answer}
          search={search}
          searchLabel={t('search')}
          peek={({ id }) => <MessagePeek id={id} />}
          empty={<Empty icon={IconInbox} title={t('emptyTitle')} text={t('emptyText')} />}
        />
        <Neighbours search={search} more={answer.data?.length === pageSize} />
      </div>
    </Page>
  );
}
