// The menu of accounts.
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
        {accounts.map((item) => (
          <Menu.Item
            key={item.id}
            onClick={() => item.id !== account.id && change(item.id).catch(toast.failed)}
            rightSection={item.id === account.id ? <IconCheck size={16} aria-label={t('current')} /> : undefined}
          >
            {item.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
