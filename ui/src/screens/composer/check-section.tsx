// The findings of campaignCheck, worst first; each has a button that goes to the place to fix.
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react';
import { variantName } from '../../../../src/campaigns/model/division.ts';
import { useMethod } from '../../api/use-method.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { useLanguageNames } from '../../text/language-names.ts';
import { useText } from '../../text/use-text.tsx';
import classes from './composer.module.css';
import { useDraft } from './draft.tsx';
import { asTreated, type Finding, isAudience, type Place, placeOf } from './findings.ts';
import { fixOf, verified } from './review/verified.ts';

/** How often the results of links that are followed meanwhile are fetched, milliseconds. */
const refetchMs = 20_000;

/** @param isOpen fetches again and again what the background finds */
export function useFindings(isOpen = false) {
  const { cid, fixed } = useDraft();
  return useMethod('campaignCheck', { cid }, { keep: true, refetchInterval: isOpen && !fixed && refetchMs });
}

/** The text of a finding in the language of the user. */
export function useFindingText(): (finding: Finding) => string {
  const t = useText('composer');
  const { values } = useDraft();
  const languageName = useLanguageNames();
  return ({ code, message, found, variant }) => {
    if (!t.names('found').includes(code)) return message;
    const text = t(`found.${code}` as 'found.link_broken', { count: found.length });
    if (variant === 0) return text;
    const version = values.languages[variant - 1];
    return version
      ? t('foundInLanguage', { name: languageName(version.language), text })
      : t('foundInVariant', { name: variantName(variant), text });
  };
}

type Props = { onGo(place: Place, text: string | undefined): void };

export function CheckSection({ onGo }: Props) {
  const t = useText('composer');
  const { values, type, change, flush, fixed, isConnected } = useDraft();
  const findings = useFindings(true);
  const textOf = useFindingText();
  /** A tag that is only in the subject is fixed there, not in the body. */
  const placeFor = (finding: Finding): Place => {
    const first = finding.variant > 0 ? undefined : quotedIn(finding)[0];
    const body = type === 'plain text' ? values.plain : values.html;
    if (first && !body.toUpperCase().includes(first.toUpperCase()))
      for (const field of ['subject', 'preview_text', 'from_name', 'to_email'] as const)
        if (values[field].toUpperCase().includes(first.toUpperCase().replace(/\|\*$/, '')))
          return { section: field === 'subject' || field === 'preview_text' ? 'content' : 'from', field };
    return placeOf(finding, type === 'plain text', values.languages.length > 0);
  };
  const fix = (finding: Finding) => {
    const changes = fixed || finding.variant > 0 ? undefined : fixOf(finding, values, t('fixFriend'));
    return (
      changes && (
        <Button
          size="xs"
          aria-label={t('fixOf', { what: textOf(finding) })}
          onClick={() => {
            change(changes);
            void flush();
          }}
        >
          {t('fixNow')}
        </Button>
      )
    );
  };
  if (!isConnected && !findings.data) return <Text c="dimmed">{t('checkLater')}</Text>;
  return (
    <Loaded query={findings}>
      {(findings) => {
        const shown = asTreated(findings)
          .filter(({ code }) => !isAudience(code))
          .sort(byLevel);
        return (
          <Stack gap="md">
            {shown.length === 0 ? (
              <Group gap="sm" role="status">
                <IconCircleCheck size={20} className={classes.good} aria-hidden />
                <Text fw={600}>{t('checkFine')}</Text>
              </Group>
            ) : (
              <ul className={classes.findings} aria-label={t('check')}>
                {shown.map((finding) => (
                  <li key={`${finding.code} ${finding.message}`} className={classes.finding}>
                    <LevelIcon level={finding.level} />
                    <div>
                      <Text>{textOf(finding)}</Text>
                      <Quoted texts={quotedIn(finding).slice(0, 3)} message={textOf(finding)} />
                    </div>
                    <Group gap="xs" className={classes.findingActions}>
                      {fix(finding)}
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={t('goToOf', { what: textOf(finding) })}
                        onClick={() => onGo(placeFor(finding), quotedIn(finding)[0])}
                      >
                        {t('goTo')}
                      </Button>
                    </Group>
                  </li>
                ))}
              </ul>
            )}
            <ul className={classes.verified} aria-label={t('verified')}>
              {verified(findings, type === 'plain text' ? undefined : values.html).map((name) => (
                <li key={name}>
                  <IconCheck size={16} className={classes.good} aria-hidden />
                  {t(`verified.${name}`)}
                </li>
              ))}
            </ul>
          </Stack>
        );
      }}
    </Loaded>
  );
}

/** Parts of the content, unless the message names them itself. */
function Quoted({ texts, message }: { texts: readonly string[]; message: string }) {
  const shown = texts.filter((text) => !message.includes(text));
  if (shown.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" ff="monospace">
      {shown.join(' · ')}
    </Text>
  );
}

const levels = ['error', 'warning', 'info'];
const byLevel = (a: Finding, b: Finding) => levels.indexOf(a.level) - levels.indexOf(b.level);

/** The parts of the content that a finding quotes; `not_ready` names an option instead. */
const quotedIn = ({ code, found }: Finding): string[] => (code === 'not_ready' ? [] : found);

function LevelIcon({ level }: { level: string }) {
  const t = useText('composer');
  if (level === 'error')
    return <IconCircleX size={20} className={classes.bad} aria-label={t('levelError')} role="img" />;
  if (level === 'warning')
    return <IconAlertTriangle size={20} className={classes.warn} aria-label={t('levelWarning')} role="img" />;
  return <IconInfoCircle size={20} aria-label={t('levelInfo')} role="img" />;
}
