// The frame around every screen: navigation, account, search, shortcuts, and focus after a change of screen. On a
// phone the navigation folds behind a button.
import { AppShell, Burger, Group, Kbd, NavLink, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { Link, Outlet, useNavigate, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { useText } from '../text/use-text.tsx';
import { AccountSwitcher } from './account-switcher.tsx';
import { openKeyHelp, useKeyHelpOpen } from './key-help-state.ts';
import { useShortcut } from './keys.ts';
import { type Entry, navigation } from './navigation.ts';
import { useProgressEvents } from './progress-events.ts';
import classes from './shell.module.css';
import { UserButton } from './user-button.tsx';

const Finder = lazy(() => import('./finder.tsx'));
const KeyHelp = lazy(() => import('./key-help.tsx'));

export function Shell() {
  const t = useText('shell');
  const [open, { toggle, close }] = useDisclosure(false);
  const help = useKeyHelpOpen();
  const [finding, setFinding] = useState(false);
  const entries = useEntries();
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname ?? state.location.pathname });
  useFocusOnNewScreen(path, main, close);
  useProgressEvents();

  const find = () => setFinding(true);
  useShortcut('mod+k', t('search'), find);
  useShortcut('/', t('search'), find);
  useShortcut('?', t('keys'), openKeyHelp);

  return (
    <AppShell
      navbar={{ width: 224, breakpoint: 'sm', collapsed: { mobile: !open } }}
      header={{ height: { base: 56, sm: 0 } }}
      padding={0}
    >
      <a href="#main" className="skip-link">
        {t('skip')}
      </a>
      <AppShell.Header hiddenFrom="sm">
        <Group h="100%" px="md" justify="space-between">
          <Group gap="sm">
            <Burger opened={open} onClick={toggle} size="sm" aria-label={t('navigation')} aria-expanded={open} />
            <Text fw={600}>Postrider</Text>
          </Group>
          <UnstyledButton onClick={find} aria-label={t('search')} className={classes.iconButton}>
            <IconSearch size={20} aria-hidden />
          </UnstyledButton>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        className={classes.navbar}
        data-open={open || undefined}
        aria-label={t('navigation')}
        component="nav"
      >
        <AppShell.Section p="sm">
          <AccountSwitcher />
        </AppShell.Section>
        <AppShell.Section px="sm" pb="sm" visibleFrom="sm">
          <UnstyledButton className={classes.search} onClick={find}>
            <IconSearch size={16} aria-hidden />
            <span>{t('search')}</span>
            <Kbd size="xs" aria-hidden>
              /
            </Kbd>
          </UnstyledButton>
        </AppShell.Section>
        <AppShell.Section grow className={classes.entries} px="sm">
          {entries.map((entry) => (
            <NavigationEntry key={entry.name} entry={entry} current={isWithin(path, entry.to)} onFollow={close} />
          ))}
        </AppShell.Section>
        <AppShell.Section p="sm">
          <UserButton />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main ref={main} id="main" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
      {help && (
        <Suspense>
          <KeyHelp />
        </Suspense>
      )}
      {finding && (
        <Suspense fallback={<VisuallyHidden role="status">{t('search')}</VisuallyHidden>}>
          <Finder entries={entries} onClose={() => setFinding(false)} />
        </Suspense>
      )}
    </AppShell>
  );
}

type EntryProps = { entry: Entry; current: boolean; onFollow(): void };

function NavigationEntry({ entry, current, onFollow }: EntryProps) {
  const t = useText('shell');
  const navigate = useNavigate();
  useShortcut(entry.keys, t(`nav.${entry.name}`), () => navigate({ to: entry.to }));
  return (
    <NavLink
      component={Link}
      to={entry.to}
      label={t(`nav.${entry.name}`)}
      leftSection={<entry.icon size={18} stroke={1.75} aria-hidden />}
      active={current}
      onClick={onFollow}
      aria-current={current ? 'page' : undefined}
      className={classes.entry}
    />
  );
}

/** Entries whose route exists. */
function useEntries(): readonly Entry[] {
  const { routesByPath } = useRouter();
  return navigation.filter(({ to }) => to in routesByPath);
}

const isWithin = (path: string, to: string) => path === to || path.startsWith(`${to}/`);

/** Moves the focus to the new screen, except on the first load. */
function useFocusOnNewScreen(path: string, main: RefObject<HTMLElement | null>, close: () => void) {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    close();
    main.current?.focus({ preventScroll: true });
  }, [path, main, close]);
}
