// The account one works in; a menu when the user belongs to several.
import { Box, Menu, Text, UnstyledButton } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { useSession, useSwitchAccount } from '../session/session.ts';
import { useText } from '../text/use-text.tsx';
import classes from './shell.module.css';

export function AccountSwitcher() {
  const t = useText('shell');
  const { account, accounts } = useSession();
  const change = useSwitchAccount();
  const name = (
    <Box className={classes.grow}>
      <Text size="md" fw={600} truncate title={account.name}>
        {account.name || 'Postrider'}
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
    <Menu width={240} position="bottom-start" withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.button} aria-label={t('account', { name: account.name })}>
          {name}
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('accounts')}</Menu.Label>
        {accounts.map((one) => (
          <Menu.Item
            key={one.id}
            onClick={() => one.id !== account.id && change(one.id)}
            rightSection={one.id === account.id ? <IconCheck size={16} aria-label={t('current')} /> : undefined}
          >
            {one.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
