// What the check of a campaign says about the email of a step: one line, and each finding below it. Who gets it is decided by the
// automation, so findings about an audience are left out.
import { Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react';
import { useMethod } from '../../../api/use-method.ts';
import { FaultNote } from '../../../parts/fault.tsx';
import { Lines } from '../../../parts/loaded.tsx';
import { useLanguageNames } from '../../../text/language-names.ts';
import { useText } from '../../../text/use-text.tsx';
import { asTreated, type Finding, isAudience } from '../../composer/findings.ts';
import type { Info } from '../types.ts';
import classes from './email.module.css';

/** What is said of the people of a campaign. */
const ofPeople = new Set(['no_recipients', 'test_too_small', 'tag_without_value']);

export const ofEmail = (findings: readonly Finding[]): Finding[] =>
  asTreated(findings).filter(({ code }) => !isAudience(code) && !ofPeople.has(code));

/** The email of a step that is being sent was checked when it was started. */
export const isChecked = ({ emails }: Info, campaign: string): boolean => emails[campaign]?.status === 'draft';

type Props = { campaign: string; languages: readonly string[] };

export function EmailCheck({ campaign, languages }: Props) {
  const check = useMethod('campaignCheck', { cid: campaign });
  if (check.error) return <FaultNote error={check.error} onRetry={() => check.refetch()} />;
  if (!check.data) return <Lines count={1} />;
  return <Findings findings={ofEmail(check.data)} languages={languages} />;
}

export function Findings({ findings, languages }: { findings: readonly Finding[]; languages: readonly string[] }) {
  const t = useText('automations');
  const textOf = useFindingText(languages);
  if (findings.length === 0)
    return (
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <IconCircleCheck size={18} aria-hidden className={classes.mark} data-level="good" />
        <Text>{t('checkPassed')}</Text>
      </Group>
    );
  return (
    <ul className={classes.findings} aria-label={t('check')}>
      {findings.map((finding) => (
        <li key={`${finding.code} ${finding.variant} ${finding.message}`}>
          <Mark level={finding.level} />
          <Text>{textOf(finding)}</Text>
        </li>
      ))}
    </ul>
  );
}

function useFindingText(languages: readonly string[]): (finding: Finding) => string {
  const t = useText('composer');
  const languageName = useLanguageNames();
  return ({ code, message, found, variant }) => {
    if (!t.names('found').includes(code)) return message;
    const text = t(`found.${code}` as 'found.link_broken', { count: found.length });
    const language = languages[variant - 1];
    return language === undefined ? text : t('foundInLanguage', { name: languageName(language), text });
  };
}

function Mark({ level }: { level: Finding['level'] }) {
  const t = useText('composer');
  if (level === 'error')
    return (
      <IconCircleX size={18} className={classes.mark} data-level="error" aria-label={t('levelError')} role="img" />
    );
  if (level === 'warning')
    return (
      <IconAlertTriangle
        size={18}
        className={classes.mark}
        data-level="warning"
        aria-label={t('levelWarning')}
        role="img"
      />
    );
  return <IconInfoCircle size={18} className={classes.mark} aria-label={t('levelInfo')} role="img" />;
}
