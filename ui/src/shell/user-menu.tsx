// The person signed in: light and dark, language, shortcuts, signing out.
import { Box, type MantineColorScheme, Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconCheck,
  IconDeviceDesktop,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSun,
} from '@tabler/icons-react';
import { toast } from '../parts/toast.tsx';
import { signOut, useSession } from '../session/session.ts';
import { type Language, languages, useLanguage, useText } from '../text/use-text.tsx';
import classes from './shell.module.css';

const schemes = { light: IconSun, dark: IconMoon, auto: IconDeviceDesktop } satisfies Record<
  MantineColorScheme,
  unknown
>;

export function UserMenu({ onHelp }: { onHelp(): void }) {
  const t = useText('shell');
  const { user } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { language, choose } = useLanguage();
  const check = <IconCheck size={16} aria-label={t('current')} />;
  return (
    <Menu width={240} position="top-start" withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.button} aria-label={t('user', { name: user.name || user.email })}>
          <Box className={classes.grow}>
            <Text size="sm" fw={500} truncate>
              {user.name || user.email}
            </Text>
            {user.name && (
              <Text size="xs" c="dimmed" truncate>
                {user.email}
              </Text>
            )}
          </Box>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
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
        {(Object.keys(languages) as Language[]).map((one) => (
          <Menu.Item
            key={one}
            lang={one}
            rightSection={language === one ? check : undefined}
            onClick={() => choose(one)}
          >
            {languages[one]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconKeyboard size={16} aria-hidden />} onClick={onHelp}>
          {t('keys')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => signOut().catch((fault) => toast.failed(fault))}
        >
          {t('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
