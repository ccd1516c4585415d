// The onboarding checklist of a new account. Steps are checked off automatically, and each missing one leads to its screen;
// it disappears when all are done.
import { Anchor, Group, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Section } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import type { Summary } from './summary.ts';

const steps = [
  { name: 'address', to: '/setup/address', operator: true },
  { name: 'organisation', to: '/setup/organisation' },
  { name: 'sender', to: '/setup/organisation' },
  { name: 'relay', to: '/setup/relay', operator: true },
  { name: 'domain', to: '/setup/domain' },
  { name: 'test', to: '/setup/test' },
  { name: 'contacts', to: '/contacts/import' },
] as const;

export function FirstSteps({ steps: taken }: { steps: Summary['steps'] }) {
  const t = useText('home');
  const session = useSession();
  const shown = steps.filter((step) => session.operator || !('operator' in step));
  const done = shown.filter(({ name }) => taken[name]).length;
  if (done === shown.length || !session.may('write')) return null;
  const mayOpen = (to: string) => session.may('admin') || !to.startsWith('/setup/');
  return (
    <Section title={t('steps')} description={t('stepsDone', { done, all: shown.length })}>
      <Stack component="ol" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {shown.map(({ name, to }) => (
          <li key={name}>
            <Group gap="sm" wrap="nowrap" align="flex-start">
              <ThemeIcon
                size={24}
                radius="xl"
                variant={taken[name] ? 'filled' : 'default'}
                color="teal.8"
                aria-hidden
                flex="none"
              >
                {taken[name] ? <IconCheck size={16} /> : <IconCircle size={16} stroke={1} />}
              </ThemeIcon>
              <div>
                {taken[name] || !mayOpen(to) ? (
                  <Text size="sm" fw={500} c={taken[name] ? 'dimmed' : undefined}>
                    {t(`step.${name}`)}
                    <VisuallyHidden>{taken[name] ? ` (${t('done')})` : ''}</VisuallyHidden>
                  </Text>
                ) : (
                  <Anchor component={Link} to={to as string} fw={500} size="sm">
                    {t(`step.${name}`)}
                  </Anchor>
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
      </Stack>
    </Section>
  );
}
