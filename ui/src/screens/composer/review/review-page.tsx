// The review: who receives the campaign, how it arrives in an inbox, what else goes out, what the check found, and when it is sent. One page
// with one button.
import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { useText } from '../../../text/use-text.tsx';
import { CheckSection } from '../check-section.tsx';
import classes from '../composer.module.css';
import { useDraft } from '../draft.tsx';
import type { Place } from '../findings.ts';
import { SendSection } from '../send/send-section.tsx';
import { Audience, useSegments } from '../to-section.tsx';
import { ArchiveChoice, useArchiveChoice } from './archive-choice.tsx';
import { InboxLines } from './inbox-line.tsx';
import { SentLines } from './sent-lines.tsx';
import { TermLines } from './term-lines.tsx';

type Props = {
  scheduledFor: string;
  leaving: boolean;
  setLeaving(leaving: boolean): void;
  onGo(place: Place, text?: string): void;
};

export function ReviewPage({ scheduledFor, leaving, setLeaving, onGo }: Props) {
  const t = useText('composer');
  const { type, fixed, values } = useDraft();
  const archive = useArchiveChoice();
  const edit = (place: Place) =>
    !fixed && (
      <Button size="xs" variant="subtle" onClick={() => onGo(place)}>
        {t('change')}
      </Button>
    );
  return (
    <div className={classes.review} inert={leaving}>
      <Stack gap="md" miw={0}>
        <Card name="audience" title={t('to')} action={edit({ section: 'to' })}>
          <AudienceLines />
          <Audience />
        </Card>
        <Card name="inbox" title={t('inboxLine')} action={edit({ section: 'content', field: 'subject' })}>
          <InboxLines />
        </Card>
        <Card name="also" title={t('alsoSent')} action={edit({ section: values.test.on ? 'test' : 'options' })}>
          <SentLines />
        </Card>
        {archive && (
          <Card name="archive" title={t('publicArchive')}>
            <ArchiveChoice {...archive} />
          </Card>
        )}
        <Card name="check" title={t('check')}>
          <CheckSection onGo={onGo} />
        </Card>
      </Stack>
      <div className={classes.reviewSend}>
        <Card name="send" title={type === 'auto' ? t('startSection') : t('send')}>
          {values.type_opts.event === 'automation' ? (
            <Text>{t('ofAutomation')}</Text>
          ) : (
            <SendSection
              // A new schedule is shown in the fields.
              key={scheduledFor}
              scheduledFor={scheduledFor}
              leaving={leaving}
              setLeaving={setLeaving}
              onCheck={() => document.getElementById('section-check')?.scrollIntoView({ block: 'start' })}
            />
          )}
        </Card>
      </div>
    </div>
  );
}

type CardProps = { name: string; title: string; action?: ReactNode; children: ReactNode };

export function Card({ name, title, action, children }: CardProps) {
  return (
    <section className={classes.section} id={`section-${name}`} aria-label={title}>
      <Group justify="space-between" className={classes.cardHead}>
        <h2 className={classes.cardTitle}>{title}</h2>
        {action}
      </Group>
      <div className={classes.panel}>{children}</div>
    </section>
  );
}

/** The lists and segments, and those that are excluded, by name. */
export function AudienceLines() {
  const t = useText('composer');
  const { values } = useDraft();
  const { data: lists = [] } = useMethod('lists');
  const segments = useSegments(
    values.exclude_segment_id.length > 0 ? lists.map(({ id }) => id) : values.list_id,
    lists,
  );
  const listNames = (ids: readonly string[]) => ids.map((id) => lists.find((list) => list.id === id)?.name ?? id);
  const segmentNames = (ids: readonly string[]) =>
    ids.map((id) => segments.flatMap(({ items }) => items).find(({ value }) => value === id)?.label ?? id);
  const lines = [
    [t('lists'), listNames(values.list_id)],
    [t('segments'), segmentNames(values.segment_id)],
    [t('excluded'), [...listNames(values.exclude_list_id), ...segmentNames(values.exclude_segment_id)]],
  ] as const;
  return <TermLines lines={lines} />;
}
