// The review: everything that goes out, how it arrives in an inbox, what the check found, and when it is sent. One page with one
// button.
import { Group, Stack, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { useText } from '../../../text/use-text.tsx';
import { CheckSection } from '../check-section.tsx';
import classes from '../composer.module.css';
import { useDraft } from '../draft.tsx';
import type { Place } from '../findings.ts';
import { useAutoSummary } from '../send/auto-section.tsx';
import { type Leaving, SendSection } from '../send/send-section.tsx';
import { useTimingChoice } from '../send/timing-choice.ts';
import { useIsOfAutomation } from '../to-section.tsx';
import { ArchiveChoice, useArchiveChoice } from './archive-choice.tsx';
import { InboxLines } from './inbox-line.tsx';
import own from './review.module.css';
import { SentTable } from './sent-table.tsx';

const ReviewPicture = lazy(() => import('./review-picture.tsx'));

type Props = {
  scheduledFor: string;
  leaving: Leaving | undefined;
  setLeaving(leaving: Leaving | undefined): void;
  onGo(place: Place, text?: string): void;
  onPreview(): void;
};

export function ReviewPage(props: Props) {
  // A new schedule is shown in the fields.
  return <Review key={props.scheduledFor} {...props} />;
}

function Review({ scheduledFor, leaving, setLeaving, onGo, onPreview }: Props) {
  const t = useText('composer');
  const { type, fixed } = useDraft();
  const archive = useArchiveChoice();
  const choice = useTimingChoice(scheduledFor);
  const isOfAutomation = useIsOfAutomation();
  return (
    <div className={classes.review} data-leaving={leaving !== undefined || undefined}>
      <Stack gap="md" miw={0} inert={leaving !== undefined}>
        <Card name="also" title={t('alsoSent')}>
          <div className={own.withPicture}>
            <SentTable
              onGo={fixed ? undefined : onGo}
              {...(type === 'auto' && !isOfAutomation
                ? { when: { text: <WhenAuto />, onChange: fixed ? undefined : () => onGo({ section: 'auto' }) } }
                : {})}
            />
            <Suspense fallback={<div className={own.picture} />}>
              <ReviewPicture onOpen={onPreview} />
            </Suspense>
          </div>
        </Card>
        <Card name="check" title={t('check')}>
          <CheckSection onGo={onGo} />
        </Card>
        <Card name="inbox" title={t('inboxLine')}>
          <InboxLines />
        </Card>
        {archive && (
          <Card name="archive" title={t('publicArchive')}>
            <ArchiveChoice {...archive} />
          </Card>
        )}
      </Stack>
      <div className={classes.reviewSend}>
        <Card name="send" title={type === 'auto' ? t('startSection') : t('send')}>
          {isOfAutomation ? (
            <Text>{t('ofAutomation')}</Text>
          ) : (
            <SendSection
              choice={choice}
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

/** When an autoresponder sends; when a campaign is sent is chosen beside the table. */
const WhenAuto = () => useAutoSummary();

type CardProps = { name: string; title: string; children: ReactNode };

export function Card({ name, title, children }: CardProps) {
  return (
    <section className={classes.section} id={`section-${name}`} aria-label={title}>
      <Group justify="space-between" className={classes.cardHead}>
        <h2 className={classes.cardTitle}>{title}</h2>
      </Group>
      <div className={classes.panel}>{children}</div>
    </section>
  );
}
