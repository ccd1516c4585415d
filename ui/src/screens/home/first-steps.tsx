// The onboarding checklist of a new account, as a strip of the next two open steps; all of them are shown on request. Steps are
// checked off automatically, and each missing one leads to its screen; the strip disappears when all are done, and can be put
// away before, in this browser.
import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { LinkAnchor, type Target } from '../../parts/link.tsx';
import { Section } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { setupStep } from '../setup/steps.ts';
import classes from './home.module.css';
import type { Summary } from './summary.ts';

const steps = [
  { name: 'address', to: setupStep('address'), operator: true },
  { name: 'organisation', to: setupStep('organisation') },
  { name: 'sender', to: setupStep('organisation') },
  { name: 'relay', to: setupStep('relay'), operator: true },
  { name: 'domain', to: setupStep('domain') },
  { name: 'test', to: setupStep('test') },
  { name: 'contacts', to: { to: '/contacts/import' } },
] as const;

/** As many open steps are shown at first. */
const nextSteps = 2;

export function FirstSteps({ steps: taken }: { steps: Summary['steps'] }) {
  const t = useText('home');
  const session = useSession();
  const shown = steps.filter((step) => session.operator || !('operator' in step));
  const [away, setAway] = useLocalStorage({
    key: `postrider-steps-${session.account.id}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const done = shown.filter(({ name }) => taken[name]).length;
  const [showsAll, setShowsAll] = useState(false);
  if (away || done === shown.length || !session.mayAll('campaigns:write')) return null;
  const mayOpen = ({ to }: Target) => session.may('sending:write') || !to.startsWith('/setup/');
  return (
    <Section
      title={t('steps')}
      description={t('stepsDone', { done, all: shown.length })}
      actions={
        <Group gap="xs">
          <Button variant="subtle" size="xs" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {t(showsAll ? 'stepsFewer' : 'stepsAll')}
          </Button>
          <Button variant="subtle" size="xs" onClick={() => setAway(true)}>
            {t('stepsHide')}
          </Button>
        </Group>
      }
    >
      <ol className={classes.steps}>
        {(showsAll ? shown : shown.filter(({ name }) => !taken[name]).slice(0, nextSteps)).map(({ name, to }) => (
          <li key={name}>
            <Group gap="sm" wrap="nowrap" align="flex-start">
              <span className={classes.ring} data-done={taken[name] || undefined} aria-hidden>
                {taken[name] && <IconCheck size={14} />}
              </span>
              <div>
                {taken[name] || !mayOpen(to) ? (
                  <Text size="sm" fw={500} c={taken[name] ? 'dimmed' : undefined}>
                    {t(`step.${name}`)}
                    <VisuallyHidden>{taken[name] ? ` (${t('done')})` : ''}</VisuallyHidden>
                  </Text>
                ) : (
                  <LinkAnchor {...to} fw={500} size="sm">
                    {t(`step.${name}`)}
                  </LinkAnchor>
                )}
                {!taken[name] && (
                  <Text size="xs" c="dimmed">
                    {t(`stepText.${name}`)}
                  </Text>
                )}
              </div>
            </Group>
          </li>
        ))}
      </ol>
    </Section>
  );
}
