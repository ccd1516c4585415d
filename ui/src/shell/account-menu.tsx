// The accounts to choose from.
import { Menu } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { toast } from '../parts/toast/toast.tsx';
import { useSession, useSwitchAccount } from '../session/session.ts';
import { useText } from '../text/use-text.tsx';
import type { MenuProps } from './late-menu.tsx';

export default function AccountMenu({ target, onClose }: MenuProps) {
  const t = useText('shell');
  const { account, accounts } = useSession();
  const change = useSwitchAccount();
  return (
    <Menu defaultOpened width={240} position="bottom-start" onClose={onClose}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('accounts')}</Menu.Label>
        {accounts.map((one) => (
          <Menu.Item
            key={one.id}
            onClick={() => one.id !== account.id && change(one.id).catch(toast.failed)}
            rightSection={one.id === account.id ? <IconCheck size={16} aria-label={t('current')} /> : undefined}
          >
            {one.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
