// The bar at the top of the composer: the way back, name and state of the campaign, whether it is saved, and the actions.

import { Avatar, Button, Group, Text } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconArrowLeft, IconChevronLeft, IconCloudOff, IconEye, IconMail } from '@tabler/icons-react';
import { appName } from '../../../api/installation.ts';
import { useFormats } from '../../../parts/formats.ts';
import { LinkAnchor } from '../../../parts/link.tsx';
import { useTagless } from '../../../parts/tagged/tagged.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { useBackToFlow } from '../../automations/back-to-flow.ts';
import { CampaignStatus } from '../../campaigns/campaign-status.tsx';
import type { CampaignState } from '../../campaigns/states.ts';
import classes from '../composer.module.css';
import { useDraft } from '../draft.tsx';
import type { Leaving } from '../send/send-section.tsx';
import { undoSeconds } from '../send/undo-seconds.ts';
import { NameField } from './name-field.tsx';

type Props = {
  state: CampaignState;
  undoSecondsLeft: number;
  /** Whether the review is shown instead of the email. */
  reviewing: boolean;
  /** Sending starts in a few seconds. */
  leaving: Leaving | undefined;
  onPreview(): void;
  onTest(): void;
  onReview(reviewing: boolean): void;
};

export function ComposerBar({ state, undoSecondsLeft, reviewing, leaving, onPreview, onTest, onReview }: Props) {
  const t = useText('composer');
  const { may } = useSession();
  const { cid, values, type, fixed } = useDraft();
  const tagless = useTagless();
  const { label: backLabel, ...back } = useBackToFlow(type) ?? { to: '/campaigns' as const, label: t('allCampaigns') };
  useDocumentTitle(`${tagless(values.title || values.subject || t('untitled'))} · ${appName}`);
  const releasable = state === 'draft' || state === 'scheduled';
  return (
    <header className={classes.bar}>
      <LinkAnchor {...back} size="sm" c="dimmed">
        <Group gap={4} wrap="nowrap" component="span">
          <IconChevronLeft size={16} aria-hidden />
          <span className={classes.barWord}>{backLabel}</span>
        </Group>
      </LinkAnchor>
      <div className={classes.barTitle}>
        <NameField />
        <CampaignStatus
          // The time counts from the answer of the server.
          key={leaving?.countdown ? 'countdown' : 'state'}
          campaign={{
            id: cid,
            type,
            delivery_status: leaving ? 'launching' : state,
            undo_seconds_left: leaving ? undoSeconds : undoSecondsLeft,
          }}
          // The button is in the review.
          timeOnly={leaving !== undefined}
        />
        {!fixed && <SaveStatus />}
        <AlsoOpen />
      </div>
      <Group gap="xs" className={classes.barActions} inert={leaving !== undefined}>
        <Button variant="default" leftSection={<IconEye size={16} aria-hidden />} onClick={onPreview}>
          <span className={classes.barWord}>{t('preview')}</span>
        </Button>
        {!fixed && may('campaigns:write') && (
          <Button variant="default" leftSection={<IconMail size={16} aria-hidden />} onClick={onTest}>
            <span className={classes.barWord}>{t('testDo')}</span>
          </Button>
        )}
        {reviewing ? (
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            onClick={() => onReview(false)}
          >
            <span className={classes.barWord}>{t('backToEmail')}</span>
          </Button>
        ) : (
          releasable && <Button onClick={() => onReview(true)}>{t('review')}</Button>
        )}
      </Group>
    </header>
  );
}

/** Below the bar while the server cannot be reached. */
export function NoConnection() {
  const t = useText('composer');
  const { isConnected, fixed } = useDraft();
  if (isConnected) return null;
  return (
    <Group gap="xs" className={classes.noConnection} wrap="nowrap" role="alert">
      <IconCloudOff size={16} aria-hidden />
      <Text size="sm">{t(fixed ? 'noConnection' : 'noConnectionKept')}</Text>
    </Group>
  );
}

/** Who else has the draft open. */
function AlsoOpen() {
  const t = useText('composer');
  const { others } = useDraft();
  if (others.length === 0) return null;
  const names = others.map(({ name, self }) => (self ? t('openOwn') : name)).join(', ');
  return (
    <Group gap={6} wrap="nowrap" miw={0}>
      <Avatar.Group spacing={6} aria-hidden>
        {[...new Set(others.map(({ name }) => name))].slice(0, 3).map((name) => (
          <Avatar key={name} name={name} color="initials" variant="default" size={26} radius="xl" />
        ))}
      </Avatar.Group>
      <Text size="sm" c="dimmed" className={classes.oneLine}>
        {others.every(({ self }) => self) ? t('alsoOpenOwn') : t('alsoOpen', { names })}
      </Text>
    </Group>
  );
}

function SaveStatus() {
  const t = useText('composer');
  const { saving, savedAt, isConnected } = useDraft();
  const { time } = useFormats();
  // Said once, by the bar below or in the section of the A/B test.
  if ((!isConnected && saving !== 'saved') || saving === 'unfinished') return null;
  return (
    <Text
      size="sm"
      c={saving === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'}
      role="status"
      className={classes.saveStatus}
    >
      {saving === 'saved' && savedAt ? t('savedAt', { time: time(savedAt) }) : t(`saving.${saving}`)}
    </Text>
  );
}
