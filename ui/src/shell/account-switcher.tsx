// The current account; with a menu when the user has several.
import { Box, Text } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { lazy } from 'react';
import { appName } from '../api/installation.ts';
import { useSession } from '../session/session.ts';
import { useText } from '../text/use-text.tsx';
import { LateMenu } from './late-menu.tsx';
import classes from './shell.module.css';

const load = () => import('./account-menu.tsx');
const Menu = lazy(load);

export function AccountSwitcher() {
  const t = useText('shell');
  const { account, accounts } = useSession();
  const name = (
    <Box className={classes.grow}>
      <Text size="md" fw={600} truncate title={account.name}>
        {account.name || appName}
      </Text>
    </Box>
  );
  if (accounts.length < 2)
    return (
      <Box p="xs" pl="sm">
        {name}
      </Box>
    );
  return (
    <>
      <LateMenu label={t('account', { name: account.name })} menu={Menu} preload={load}>
        {name}
        <IconSelector size={16} aria-hidden />
      </LateMenu>
      {account.test && (
        <Text size="xs" c="dimmed" px="sm" pb="xs">
          {t('testAccount')}
        </Text>
      )}
    </>
  );
}
