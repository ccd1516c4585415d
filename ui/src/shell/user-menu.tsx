// The user menu: colour scheme, language, shortcuts, sign-out.
import { type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import {
  IconBook,
  IconCheck,
  IconDeviceDesktop,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSun,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { publicPath } from '../api/base-path.ts';
import { toast } from '../parts/toast/toast.tsx';
import { signOut } from '../session/session.ts';
import { type Language, languages, useLanguage, useText } from '../text/use-text.tsx';
import { openKeyHelp } from './key-help-state.ts';
import type { MenuProps } from './late-menu.tsx';

const schemes = { light: IconSun, dark: IconMoon, auto: IconDeviceDesktop } satisfies Record<
  MantineColorScheme,
  unknown
>;

export default function UserMenu({ target, onClose }: MenuProps) {
  const t = useText('shell');
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { language, choose } = useLanguage();
  const client = useQueryClient();
  const check = <IconCheck size={16} aria-label={t('current')} />;
  return (
    <Menu defaultOpened width={240} position="top-start" onClose={onClose}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('appearance')}</Menu.Label>
        {(Object.keys(schemes) as MantineColorScheme[]).map((scheme) => {
          const Icon = schemes[scheme];
          return (
            <Menu.Item
              key={scheme}
              leftSection={<Icon size={16} aria-hidden />}
              rightSection={colorScheme === scheme ? check : undefined}
              onClick={() => setColorScheme(scheme)}
            >
              {t(`scheme.${scheme}`)}
            </Menu.Item>
          );
        })}
        <Menu.Label>{t('language')}</Menu.Label>
        {(Object.keys(languages) as Language[]).map((code) => (
          <Menu.Item
            key={code}
            lang={code}
            rightSection={language === code ? check : undefined}
            onClick={() => {
              choose(code);
              // Server messages come in the language of the request.
              void client.invalidateQueries();
            }}
          >
            {languages[code]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component="a" href={publicPath('/docs/')} leftSection={<IconBook size={16} aria-hidden />}>
          {t('documentation')}
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={16} aria-hidden />} onClick={openKeyHelp}>
          {t('keys')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => signOut().catch(toast.failed)}>
          {t('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
