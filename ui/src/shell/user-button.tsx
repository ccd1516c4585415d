// The signed-in user, with a menu: colour scheme, language, shortcuts, sign-out.
import { Box, Text } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { lazy } from 'react';
import { useSession } from '../session/session.ts';
import { useText } from '../text/use-text.tsx';
import { LateMenu } from './late-menu.tsx';
import classes from './shell.module.css';

const load = () => import('./user-menu.tsx');
const Menu = lazy(load);

export function UserButton() {
  const t = useText('shell');
  const { user } = useSession();
  // The label contains all that is visible, so that speech input finds the button by it.
  return (
    <LateMenu label={t('user', { name: `${user.name} ${user.email}`.trim() })} menu={Menu} preload={load}>
      <Box className={classes.grow}>
        <Text fw={500} truncate>
          {user.name || user.email}
        </Text>{' '}
        {user.name && (
          <Text size="xs" c="dimmed" truncate>
            {user.email}
          </Text>
        )}
      </Box>
      <IconSelector size={16} aria-hidden />
    </LateMenu>
  );
}
