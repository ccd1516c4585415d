// The onboarding checklist of a new account: the next three open steps of the setup and those to the first campaign as cards, as
// long as there is nothing else to see, and the next two as a strip later; all of them are shown on request. Steps are checked off automatically, and each missing one
// leads to its screen; the list disappears when all are done, and can be put away before, in this browser.
import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import {
  IconArrowRight,
  IconAt,
  IconBuilding,
  IconCheck,
  IconList,
  IconMail,
  IconSend,
  IconServer,
  IconShieldCheck,
  IconUserPlus,
  IconWorld,
} from '@tabler/icons-react';
import { useState } from 'react';
import { LinkAnchor, LinkButton, type Target } from '../../parts/link.tsx';
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
  { name: 'list', to: { to: '/lists/new' }, onward: true },
  { name: 'contacts', to: { to: '/contacts/import' }, onward: true },
  { name: 'campaign', to: { to: '/campaigns/new' }, onward: true },
] as const;

type Step = (typeof steps)[number];

const icons = {
  address: IconWorld,
  organisation: IconBuilding,
  sender: IconAt,
  relay: IconServer,
  domain: IconShieldCheck,
  test: IconSend,
  list: IconList,
  contacts: IconUserPlus,
  campaign: IconMail,
} as const satisfies Record<Step['name'], unknown>;

/** As many open steps are shown at first. */
const nextSteps = 2;
/** As many of the setup are shown to a new account, above those that lead to its first campaign. */
const nextCards = 3;

/** @param isNew nothing has been sent and no one has subscribed: there is nothing else to see */
export function FirstSteps({ steps: taken, isNew }: { steps: Summary['steps']; isNew: boolean }) {
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
  const open = shown.filter(({ name }) => !taken[name]);
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
      {isNew && !showsAll ? (
        <ol className={classes.cards}>
          {cardsOf(open).map((step) => (
            <Card key={step.name} step={step} mayOpen={mayOpen(step.to)} />
          ))}
        </ol>
      ) : (
        <ol className={classes.steps}>
          {(showsAll ? shown : open.slice(0, nextSteps)).map(({ name, to }) => (
            <Line key={name} name={name} isDone={taken[name]} to={mayOpen(to) ? to : undefined} />
          ))}
        </ol>
      )}
    </Section>
  );
}

const cardsOf = (open: readonly Step[]) => [
  ...open.filter((step) => !('onward' in step)).slice(0, nextCards),
  ...open.filter((step) => 'onward' in step),
];

type LineProps = { name: Step['name']; isDone: boolean; to: Target | undefined };

function Line({ name, isDone, to }: LineProps) {
  const t = useText('home');
  return (
    <li>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <span className={classes.ring} data-done={isDone || undefined} aria-hidden>
          {isDone && <IconCheck size={14} />}
        </span>
        <div>
          {isDone || !to ? (
            <Text size="sm" fw={500} c={isDone ? 'dimmed' : undefined}>
              {t(`step.${name}`)}
              <VisuallyHidden>{isDone ? ` (${t('done')})` : ''}</VisuallyHidden>
            </Text>
          ) : (
            <LinkAnchor {...to} fw={500} size="sm">
              {t(`step.${name}`)}
            </LinkAnchor>
          )}
          {!isDone && (
            <Text size="xs" c="dimmed">
              {t(`stepText.${name}`)}
            </Text>
          )}
        </div>
      </Group>
    </li>
  );
}

/** A step of a new account: what it is, why, and the button that leads to it. */
function Card({ step: { name, to }, mayOpen }: { step: Step; mayOpen: boolean }) {
  const t = useText('home');
  const Icon = icons[name];
  return (
    <li className={classes.card}>
      <span className={classes.cardIcon} aria-hidden>
        <Icon size={20} stroke={1.75} />
      </span>
      <Text fw={600}>{t(`step.${name}`)}</Text>
      <Text size="sm" c="dimmed" className={classes.cardText ?? ''}>
        {t(`stepText.${name}`)}
      </Text>
      {mayOpen && (
        <LinkButton
          {...to}
          variant="default"
          rightSection={<IconArrowRight size={16} aria-hidden />}
          aria-label={`${t('stepOpen')}: ${t(`step.${name}`)}`}
        >
          {t('stepOpen')}
        </LinkButton>
      )}
    </li>
  );
}
