// Everything that goes out, in one table: to whom, from whom, under which subject, the sides of an A/B test, languages,
// attachments, what is recorded, and when. Each row has a way to change it.
import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { Tagged } from '../../../parts/tagged/tagged.tsx';
import { useSession } from '../../../session/session.ts';
import { useLanguageNames } from '../../../text/language-names.ts';
import { useText } from '../../../text/use-text.tsx';
import { sizeText, useAttachedSize } from '../attachments/attached.ts';
import { previewTextOf } from '../content/preview-text.ts';
import { type DraftValues, useDraft } from '../draft.tsx';
import type { Place } from '../findings.ts';
import { Audience, ContactsOfAutomation, useIsOfAutomation, useSegments } from '../to-section.tsx';
import classes from './review.module.css';
import { TestSides } from './test-sides.tsx';

type Props = {
  /** Where a value is changed; undefined if nothing can be. */
  onGo?: ((place: Place) => void) | undefined;
  /** When it is sent, and a way to change that. */
  when?: { text: ReactNode; onChange: (() => void) | undefined };
};

export function SentTable({ onGo, when }: Props) {
  const t = useText('composer');
  const { cid, type, values } = useDraft();
  const isOfAutomation = useIsOfAutomation();
  const { account } = useSession();
  const { files, size } = useAttachedSize(cid);
  const languageName = useLanguageNames();
  const { tracking, languages, analytics } = values;
  const to = (place: Place) => onGo && (() => onGo(place));
  const recorded = [
    tracking.opens && t('trackOpens'),
    tracking.html_clicks && t('trackHtml'),
    tracking.text_clicks && t('trackText'),
  ].filter((name) => name !== false);
  const utm = utmOf(analytics);
  const preview = type === 'plain text' ? '' : values.preview_text || previewTextOf(values.html);
  return (
    <dl className={`${classes.sent} in-order`}>
      {isOfAutomation ? (
        <Row term={t('to')} onChange={undefined}>
          <Text span inherit fw={500}>
            {t('toAutomation')}
          </Text>
          <ContactsOfAutomation />
        </Row>
      ) : (
        <Row term={t('to')} onChange={to({ section: 'to' })}>
          <Audience plain />
          <AudienceLines />
        </Row>
      )}
      <Row term={t('from')} onChange={to({ section: 'from' })}>
        <Tagged>{values.from_name}</Tagged> <Aside>{`<${values.sender || account.email}>`}</Aside>
        <Line aside={t('repliesTo')}>{values.from_email || account.email}</Line>
      </Row>
      <Row term={t('subject')} onChange={to({ section: 'content', field: 'subject' })}>
        <Text span inherit fw={500}>
          <Tagged>{values.subject || t('subjectNone')}</Tagged>
        </Text>
        {preview !== '' && (
          <Text c="dimmed" size="sm">
            <Tagged>{preview}</Tagged>
          </Text>
        )}
      </Row>
      {values.test.on && (
        <Row term={t('abTest')} onChange={to({ section: 'test' })}>
          <TestSides />
        </Row>
      )}
      {languages.length > 0 && (
        <Row term={t('languages')} onChange={to({ section: 'languages' })}>
          {languages.map(({ language, subject }) => (
            <Line key={language} aside={languageName(language)}>
              <Tagged>{subject}</Tagged>
            </Line>
          ))}
          <Line aside={t('languageMain')}>
            <Tagged>{values.subject}</Tagged>
          </Line>
        </Row>
      )}
      <Row term={t('attachments')} onChange={to({ section: 'attachments' })}>
        {files.length === 0 && <Aside>{t('attachmentsNone')}</Aside>}
        {files.map((file) => (
          <div key={file.no}>
            {file.name} <Aside>{sizeText(file.size)}</Aside>
          </div>
        ))}
        {files.length > 1 && <Aside>{t('attachmentsSummary', { count: files.length, size: sizeText(size) })}</Aside>}
      </Row>
      <Row term={t('tracking')} onChange={to({ section: 'options' })}>
        {recorded.length > 0 ? recorded.join(', ') : <Aside>{t('nothingTracked')}</Aside>}
        {utm !== '' && <Line aside={t('analyticsTitle')}>{utm}</Line>}
      </Row>
      {when && (
        <Row term={t('when')} onChange={when.onChange}>
          {when.text}
        </Row>
      )}
    </dl>
  );
}

type RowProps = { term: string; onChange: (() => void) | undefined; children: ReactNode };

function Row({ term, onChange, children }: RowProps) {
  const t = useText('composer');
  return (
    <div className={classes.sentRow}>
      <dt>{term}</dt>
      <dd>
        <div className={classes.sentValue}>{children}</div>
        {onChange && (
          <Button size="xs" variant="subtle" aria-label={t('changeOf', { what: term })} onClick={onChange}>
            {t('change')}
          </Button>
        )}
      </dd>
    </div>
  );
}

const Aside = ({ children }: { children: ReactNode }) => (
  <Text span inherit c="dimmed">
    {children}
  </Text>
);

/** A value below others, after the words that say what it is. */
const Line = ({ aside, children }: { aside: string; children: ReactNode }) => (
  <div>
    <Aside>{aside}:</Aside> {children}
  </div>
);

/** The parameters of web analytics that the campaign sets. */
const utmOf = ({ google, source, medium, content, term }: DraftValues['analytics']): string =>
  [google, source, medium, content, term].filter(Boolean).join(' · ');

/** The lists and segments, and those that are excluded, by name. */
function AudienceLines() {
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
  return lines
    .filter(([, names]) => names.length > 0)
    .map(([term, names]) => (
      <Line key={term} aside={term}>
        {names.join(', ')}
      </Line>
    ));
}
