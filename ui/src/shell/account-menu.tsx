// The menu of accounts; a search where the user has more than a few.
import { Menu, NavLink, Popover, ScrollArea, Text, TextInput } from '@mantine/core';
import { IconCheck, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { toast } from '../parts/toast/toast.tsx';
import { useSession, useSwitchAccount } from '../session/session.ts';
import { useText } from '../text/use-text.tsx';
import type { MenuProps } from './late-menu.tsx';

/** More are searched. */
const fewAccounts = 8;

export default function AccountMenu(props: MenuProps) {
  const { accounts } = useSession();
  return accounts.length > fewAccounts ? <Searched {...props} /> : <Few {...props} />;
}

function Few({ target, onClose }: MenuProps) {
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

function Searched({ target, onClose }: MenuProps) {
  const t = useText('shell');
  const { account, accounts } = useSession();
  const change = useSwitchAccount();
  const [opened, setOpened] = useState(true);
  const [wanted, setWanted] = useState('');
  const found = accounts.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase()));
  const choose = (id: string) => id !== account.id && change(id).catch(toast.failed);
  const toggle = (next: boolean) => {
    setOpened(next);
    if (!next) onClose();
  };
  return (
    <Popover opened={opened} onChange={toggle} width={280} position="bottom-start" trapFocus withRoles={false}>
      <Popover.Target>
        <div onClickCapture={() => toggle(!opened)}>{target}</div>
      </Popover.Target>
      <Popover.Dropdown p="xs" role="dialog" aria-label={t('accounts')}>
        <TextInput
          aria-label={t('accountSearch')}
          placeholder={t('accountSearch')}
          leftSection={<IconSearch size={16} aria-hidden />}
          data-autofocus
          value={wanted}
          onChange={({ currentTarget: { value } }) => setWanted(value)}
          onKeyDown={({ key }) => key === 'Enter' && found[0] && void choose(found[0].id)}
          mb="xs"
        />
        <ScrollArea.Autosize mah={320} type="auto">
          {found.map(({ id, name }) => (
            <NavLink
              key={id}
              component="button"
              type="button"
              label={name}
              active={id === account.id}
              aria-current={id === account.id ? 'true' : undefined}
              rightSection={id === account.id ? <IconCheck size={16} aria-label={t('current')} /> : undefined}
              onClick={() => void choose(id)}
            />
          ))}
          {found.length === 0 && (
            <Text size="sm" c="dimmed" p="xs">
              {t('accountNone')}
            </Text>
          )}
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}
