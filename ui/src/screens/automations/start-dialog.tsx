// Before an automation starts, or its changes are published: what is missing, and each of its emails with what the check found. Nothing
// starts while something is missing or an email must not be sent. Loaded when it is opened.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { queryKey } from '../../api/use-method.ts';
import { Lines } from '../../parts/loaded.tsx';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { asSentence } from '../../text/as-sentence.ts';
import { useText } from '../../text/use-text.tsx';
import type { Finding } from '../composer/findings.ts';
import classes from './email/email.module.css';
import { Findings, isChecked, ofEmail } from './email/email-check.tsx';
import { Unwritten } from './email/email-panel.tsx';
import { everyStep, type Info, isSend, type StepOf } from './types.ts';

type Props = {
  info: Info;
  busy: boolean;
  action: string;
  onStart(): void;
  onClose(): void;
  /** Shows the email of a step. */
  onEmail(step: string): void;
};

export default function StartDialog({ info, busy, action, onStart, onClose, onEmail }: Props) {
  const t = useText('automations');
  const emails = everyStep(info.steps).filter(isSend);
  const ids = [...new Set(emails.map(({ campaign }) => campaign))].filter((id) => isChecked(info, id));
  const checks = useQueries({
    queries: ids.map((cid) => ({
      queryKey: queryKey('campaignCheck', { cid }),
      queryFn: () => call('campaignCheck', { cid }),
    })),
  });
  const checkOf = (id: string) => checks[ids.indexOf(id)];
  const findingsOf = (id: string) => {
    const found = checkOf(id)?.data;
    return found && ofEmail(found);
  };
  const shared = sharedBy(ids.map(findingsOf));
  const isChecking = checks.some(({ isPending }) => isPending);
  const isFaulty = ids.some((id) => findingsOf(id)?.some(({ level }) => level === 'error'));
  const emailKeys = new Set(emails.map(({ key }) => key));
  const others = info.problems.filter(({ step }) => !emailKeys.has(step));
  const isActive = info.status === 'active';
  const isBarred = info.problems.length > 0 || isFaulty;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(isActive ? 'confirmPublish' : 'confirmStart', { title: info.title })}
      size={600}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text>{t(isActive ? 'confirmPublishText' : 'confirmStartText')}</Text>
        {others.length > 0 && (
          <ul className={classes.findings} aria-label={t('missing')}>
            {others.map(({ step, problem }) => (
              <li key={`${step} ${problem}`}>
                <IconAlertTriangle size={18} aria-hidden className={classes.mark} data-level="warning" />
                <Text>{asSentence(problem)}</Text>
              </li>
            ))}
          </ul>
        )}
        {shared.length > 0 && (
          <div>
            <Text fw={600}>{t('ofAllEmails')}</Text>
            <Findings findings={shared} languages={[]} />
          </div>
        )}
        {emails.length > 0 && (
          <ul className={classes.emails} aria-label={t('emailsChecked')}>
            {emails.map((step) => (
              <li key={step.key}>
                <Stack gap={4}>
                  <Text fw={600}>
                    <Tagged>{info.emails[step.campaign]?.subject || t('says.noEmail')}</Tagged>
                  </Text>
                  <Result
                    info={info}
                    step={step}
                    findings={findingsOf(step.campaign)?.filter((one) => !shared.some((other) => isSame(one, other)))}
                  />
                </Stack>
                <Button
                  variant="subtle"
                  size="xs"
                  aria-label={`${t('show')}: ${info.names[step.campaign] ?? t('says.noEmail')}`}
                  onClick={() => onEmail(step.key)}
                >
                  {t('show')}
                </Button>
              </li>
            ))}
          </ul>
        )}
        {isBarred && (
          <Text role="status" fw={600}>
            {t('startBarred')}
          </Text>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button onClick={onStart} loading={busy} disabled={isBarred || isChecking} data-autofocus>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const isSame = (a: Finding, b: Finding) => a.code === b.code && a.message === b.message && a.variant === b.variant;

/** What the check found in each of several emails: it is shown once. */
function sharedBy(all: readonly (Finding[] | undefined)[]): Finding[] {
  const [first, ...others] = all;
  if (!first || others.length === 0) return [];
  return first.filter((one) => one.variant === 0 && others.every((other) => other?.some((its) => isSame(one, its))));
}

type EmailProps = { info: Info; step: StepOf<'send'> };

function Result({ info, step, findings }: EmailProps & { findings: ReturnType<typeof ofEmail> | undefined }) {
  const t = useText('automations');
  const email = info.emails[step.campaign];
  if (!email) return <Text c="dimmed">{t('chooseEmail')}</Text>;
  if (email.state !== 'written') return <Unwritten state={email.state} />;
  if (!isChecked(info, step.campaign)) return <Text c="dimmed">{t('alreadySent')}</Text>;
  const problem = info.problems.find((one) => one.step === step.key)?.problem;
  return (
    <>
      {problem !== undefined && <Text>{asSentence(problem)}</Text>}
      {findings ? (
        <Findings findings={findings} languages={info.languages[step.campaign] ?? []} />
      ) : (
        <Lines count={1} />
      )}
    </>
  );
}
