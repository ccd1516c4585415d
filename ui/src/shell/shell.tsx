// The frame around every screen: navigation, account, search, shortcuts, and focus after a change of screen. On a
// phone the navigation folds behind a button.
import { Burger, Kbd, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { Link, Navigate, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Fragment, lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { appName } from '../api/installation.ts';
import { useShortcut } from '../parts/keys.ts';
import { LinkButton } from '../parts/link.tsx';
import { opens, useSession } from '../session/session.ts';
import { useText } from '../text/use-text.tsx';
import { AccountSwitcher } from './account-switcher.tsx';
import { openKeyHelp, useKeyHelpOpen } from './key-help-state.ts';
import { type Entry, navigation } from './navigation.ts';
import { useShownPart } from './part-of.ts';
import { useProgressEvents } from './progress-events.ts';
import classes from './shell.module.css';
import { UserButton } from './user-button.tsx';

const Palette = lazy(() => import('./palette/palette.tsx'));
const KeyHelp = lazy(() => import('./key-help.tsx'));
const ActingBanner = lazy(() => import('./acting-banner.tsx'));

export function Shell() {
  const t = useText('shell');
  const [open, { toggle, close }] = useDisclosure(false);
  const { account, acting } = useSession();
  const help = useKeyHelpOpen();
  const [finding, setFinding] = useState(false);
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname ?? state.location.pathname });
  useFocusOnNewScreen(path, main, close);
  useProgressEvents();

  const find = () => setFinding(true);
  useShortcut('mod+k', t('search'), find);
  useShortcut('/', t('search'), find);
  useShortcut('?', t('keys'), openKeyHelp);

  // While the account is being set up, the screens of the menu have nothing to show yet.
  const isSetup = path === '/setup' || path.startsWith('/setup/');

  return (
    <div className={classes.frame} data-setup={isSetup || undefined}>
      <a href="#main" className="skip-link">
        {t('skip')}
      </a>
      {isSetup ? <SetupBar /> : <Menu path={path} open={open} toggle={toggle} close={close} find={find} />}
      <main ref={main} id="main" tabIndex={-1} className={classes.main}>
        {acting.until !== '' && (
          <Suspense>
            <ActingBanner />
          </Suspense>
        )}
        {account.suspended && path !== '/suspended' ? <Navigate to="/suspended" replace /> : <Outlet />}
      </main>
      {help && (
        <Suspense>
          <KeyHelp />
        </Suspense>
      )}
      {finding && (
        <Suspense fallback={<VisuallyHidden role="status">{t('search')}</VisuallyHidden>}>
          <Palette onClose={() => setFinding(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** The bar above the setup steps: where one is, and the way out. */
function SetupBar() {
  const t = useText('shell');
  const { account } = useSession();
  return (
    <header className={classes.setupBar}>
      <Text fw={600} className={classes.grow}>
        {account.name || appName}
      </Text>
      <LinkButton to="/home" variant="subtle" color="gray">
        {t('leaveSetup')}
      </LinkButton>
    </header>
  );
}

type MenuProps = { path: string; open: boolean; toggle(): void; close(): void; find(): void };

/** The bar at the top of a phone, and the navigation, which folds behind its button there. */
function Menu({ path, open, toggle, close, find }: MenuProps) {
  const t = useText('shell');
  const { account } = useSession();
  const groups = useGroups();
  const part = useShownPart();
  return (
    <>
      <header className={classes.header}>
        <Burger opened={open} onClick={toggle} size="sm" aria-label={t('navigation')} aria-expanded={open} />
        <Text fw={600} className={classes.grow}>
          {account.test ? t('testShort') : appName}
        </Text>
        <UnstyledButton onClick={find} aria-label={t('search')} className={classes.iconButton}>
          <IconSearch size={20} aria-hidden />
        </UnstyledButton>
      </header>
      <nav className={classes.navbar} data-open={open || undefined} aria-label={t('navigation')}>
        <div className={classes.top}>
          <AccountSwitcher />
          <UnstyledButton className={classes.search} onClick={find}>
            <IconSearch size={16} aria-hidden />
            <span>{t('search')}</span>
            <Kbd size="xs" aria-hidden>
              /
            </Kbd>
          </UnstyledButton>
        </div>
        <div className={classes.entries}>
          {groups.map(({ title, entries }, no) => (
            <Fragment key={entries[0]?.name ?? no}>
              {title && <div className={classes.group}>{t(title)}</div>}
              {!title && no > 0 && <hr className={classes.rule} />}
              {entries.map((entry) => (
                <NavigationEntry
                  key={entry.name}
                  entry={entry}
                  current={part ? part === entry.name : isCurrent(path, entry)}
                  onFollow={close}
                />
              ))}
            </Fragment>
          ))}
        </div>
        <div className={classes.foot}>
          <UserButton />
        </div>
      </nav>
    </>
  );
}

type EntryProps = { entry: Entry; current: boolean; onFollow(): void };

function NavigationEntry({ entry, current, onFollow }: EntryProps) {
  const t = useText('shell');
  const navigate = useNavigate();
  useShortcut(entry.keys, t(`nav.${entry.name}`), () => navigate({ to: entry.to }));
  return (
    <Link
      to={entry.to}
      onClick={onFollow}
      data-active={current || undefined}
      data-within={entry.within}
      // The router would also mark entries whose address the path begins with.
      activeOptions={{ exact: true }}
      aria-current={current ? 'page' : undefined}
      className={classes.entry}
    >
      <entry.icon size={16} stroke={1.75} aria-hidden />
      {t(`nav.${entry.name}`)}
    </Link>
  );
}

/** Entries that this user may open. */
function useGroups() {
  const session = useSession();
  return navigation.map((group) => ({
    ...group,
    entries: group.entries.filter((entry) => opens(session, entry)),
  }));
}

const allEntries = navigation.flatMap(({ entries }) => entries);

/** The entry whose page the path is, or the one with the longest address that the path is within. */
function isCurrent(path: string, { name }: Entry): boolean {
  const within =
    allEntries.find(({ pages }) => pages?.test(path)) ??
    allEntries
      .filter(({ to }) => path === to || path.startsWith(`${to}/`))
      .toSorted((a, b) => b.to.length - a.to.length)[0];
  return within?.name === name;
}

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
