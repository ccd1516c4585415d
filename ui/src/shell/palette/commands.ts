// The commands of the palette: what can be started from anywhere, and the places, with the sections of the settings.
import { useMantineColorScheme } from '@mantine/core';
import {
  IconLogout,
  IconMoon,
  IconPlus,
  IconSun,
  IconUpload,
  IconUserPlus,
  type TablerIcon,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { Target } from '../../parts/link.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { opens, type Permission, signOut, useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { navigation } from '../navigation.ts';
import { sections } from '../settings-sections.ts';

export type Command = { id: string; label: string; icon: TablerIcon; keys?: string; run(): void };

const creations = [
  { name: 'newCampaign', to: '/campaigns/new', icon: IconPlus, needs: 'campaigns:write', keys: 'c' },
  { name: 'importContacts', to: '/contacts/import', icon: IconUpload, needs: 'contacts:write' },
  { name: 'newList', to: '/lists/new', icon: IconPlus, needs: 'contacts:write', whole: true },
  { name: 'newRecurring', to: '/recurring/new', icon: IconPlus, needs: 'campaigns:write' },
  { name: 'newAutomation', to: '/automations/new', icon: IconPlus, needs: 'campaigns:write' },
  { name: 'newWebhook', to: '/webhooks/new', icon: IconPlus, needs: 'webhooks:write', whole: true },
  { name: 'newKey', to: '/settings/keys', icon: IconPlus, needs: 'account:admin', whole: true },
  { name: 'invite', to: '/settings/people', icon: IconUserPlus, needs: 'account:admin', whole: true },
] as const satisfies readonly {
  name: string;
  to: Target['to'];
  icon: TablerIcon;
  needs: Permission;
  whole?: true;
  keys?: string;
}[];

/** What this user can start from anywhere. */
export function useCommands(): Command[] {
  const t = useText('shell');
  const session = useSession();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = document.documentElement.dataset.mantineColorScheme === 'dark';
  return [
    ...creations
      .filter((one) => opens(session, one))
      .map(({ name, to, icon, ...rest }) => ({
        id: name,
        label: t(`command.${name}`),
        icon,
        ...('keys' in rest && { keys: rest.keys }),
        run: () => void navigate({ to }),
      })),
    {
      id: 'scheme',
      label: t(isDark ? 'command.light' : 'command.dark'),
      icon: isDark ? IconSun : IconMoon,
      run: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    { id: 'signOut', label: t('signOut'), icon: IconLogout, run: () => void signOut().catch(toast.failed) },
  ];
}

/** The places of the navigation, and each section of the settings. */
export function usePlaces(): Command[] {
  const t = useText('shell');
  const inSettings = useText('settings');
  const session = useSession();
  const navigate = useNavigate();
  const entries = navigation.flatMap((group) => group.entries).filter((entry) => opens(session, entry));
  return [
    ...entries.map(({ name, to, icon, keys }) => ({
      id: name,
      label: t(`nav.${name}`),
      icon,
      keys,
      run: () => void navigate({ to }),
    })),
    ...sections
      .filter((one) => one.name !== 'keys' && opens(session, one) && (session.operator || !one.operator))
      .map(({ name, icon }) => ({
        id: `settings ${name}`,
        label: `${t('nav.settings')}: ${inSettings(`section.${name}`)}`,
        icon,
        run: () => void navigate({ to: `/settings/${name}` }),
      })),
  ];
}
