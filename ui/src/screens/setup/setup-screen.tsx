// The setup steps of a new installation or account, from the public address to a test email. What is done is derived from
// what is set up, so the steps can be left, resumed and repeated; each can be skipped and shows what is missing until then.
import { Alert, Box, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconLock, IconMinus } from '@tabler/icons-react';
import { Link, Navigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { Lines, Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import classes from './setup.module.css';
import { useSkipped } from './skipped.ts';
import { isDone, isStep, type SetupInfo, type StepName, stepsFor } from './steps.ts';

/** Each step is loaded when it is shown. */
const contents = {
  address: lazy(() => import('./address-step.tsx').then(({ AddressStep }) => ({ default: AddressStep }))),
  organisation: lazy(() =>
    import('./organisation-step.tsx').then(({ OrganisationStep }) => ({ default: OrganisationStep })),
  ),
  relay: lazy(() => import('./relay-step.tsx').then(({ RelayStep }) => ({ default: RelayStep }))),
  domain: lazy(() => import('./domain-step.tsx').then(({ DomainStep }) => ({ default: DomainStep }))),
  test: lazy(() => import('./test-step.tsx').then(({ TestStep }) => ({ default: TestStep }))),
};

export function SetupScreen() {
  const t = useText('setup');
  const { operator, may } = useSession();
  const { step } = useParams({ strict: false }) as { step?: string };
  const info = useMethod('setupGet', {}, { refetchInterval: 10_000 });
  const steps = stepsFor(operator);
  if (step === undefined) return <Start />;
  if (!isStep(step) || !steps.includes(step)) return <NotFound />;
  const Content = contents[step];
  return (
    <Page>
      <PageHeader
        title={t(`step.${step}`)}
        description={`${t('stepOf', { step: steps.indexOf(step) + 1, all: steps.length })} · ${t(`about.${step}`)}`}
      />
      {may('sending:write') ? (
        <Loaded query={info}>
          {(data) => (
            <Box className={classes.columns}>
              <Steps steps={steps} current={step} info={data} />
              <Stack gap="xl" className={`${classes.content} in-order`}>
                <Suspense fallback={<Lines count={8} height={40} />}>
                  <Content key={step} info={data} />
                </Suspense>
              </Stack>
            </Box>
          )}
        </Loaded>
      ) : (
        <Alert variant="outline" icon={<IconLock aria-hidden />}>
          <Text size="sm">{t('ownerOnly')}</Text>
        </Alert>
      )}
    </Page>
  );
}

/** Leads to the first step that is missing. */
function Start() {
  const t = useText('setup');
  const { operator } = useSession();
  const info = useMethod('setupGet');
  return (
    <Page>
      <PageHeader title={t('title')} />
      <Loaded query={info}>
        {(data) => {
          const steps = stepsFor(operator);
          const first = steps.find((step) => !isDone(data, step)) ?? steps[0]!;
          return <Navigate to="/setup/{-$step}" params={{ step: first }} replace />;
        }}
      </Loaded>
    </Page>
  );
}

function Steps({ steps, current, info }: { steps: StepName[]; current: StepName; info: SetupInfo }) {
  const t = useText('setup');
  const { isSkipped } = useSkipped();
  const domains = useMethod('senderDomains', undefined, { enabled: !info.steps.domain }).data ?? [];
  return (
    <nav aria-label={t('steps')}>
      <ol className={classes.steps}>
        {steps.map((step, i) => {
          const done = isDone(info, step);
          const waits = step === 'domain' && !done && domains.length > 0;
          const skipped = !done && !waits && step !== current && isSkipped(step);
          return (
            <li key={step}>
              <Link
                to="/setup/{-$step}"
                params={{ step }}
                className={classes.step}
                aria-current={step === current ? 'step' : undefined}
              >
                <ThemeIcon
                  size={24}
                  radius="xl"
                  variant={done ? 'filled' : 'default'}
                  color="teal.8"
                  fz="xs"
                  aria-hidden
                  flex="none"
                >
                  {done ? <IconCheck size={16} /> : skipped ? <IconMinus size={16} /> : i + 1}
                </ThemeIcon>
                <span className={classes.label}>
                  {t(`step.${step}`)}
                  {skipped && (
                    <span className={classes.skipped}>{t(step === 'relay' ? 'inboxForNow' : 'skipped')}</span>
                  )}
                  {waits && <span className={classes.skipped}>{t('waitsForDns')}</span>}
                </span>
                {!skipped && <VisuallyHidden>{` (${t(done ? 'done' : 'missing')})`}</VisuallyHidden>}
              </Link>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
