// The navigation entries in order, at most nine. An entry is shown when its route exists.
import {
  IconApi,
  IconHome,
  IconInbox,
  IconMail,
  IconSend,
  IconSettings,
  IconTemplate,
  IconUsers,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react';

type NavigationName =
  | 'home'
  | 'campaigns'
  | 'lists'
  | 'templates'
  | 'webhooks'
  | 'messages'
  | 'settings'
  | 'api'
  | 'inbox';

export type Entry = { name: NavigationName; to: string; icon: TablerIcon; keys: string };

export const navigation: readonly Entry[] = [
  { name: 'home', to: '/home', icon: IconHome, keys: 'g h' },
  { name: 'campaigns', to: '/campaigns', icon: IconMail, keys: 'g c' },
  { name: 'lists', to: '/lists', icon: IconUsers, keys: 'g l' },
  { name: 'templates', to: '/templates', icon: IconTemplate, keys: 'g t' },
  { name: 'webhooks', to: '/webhooks', icon: IconWebhook, keys: 'g w' },
  { name: 'messages', to: '/messages', icon: IconSend, keys: 'g m' },
  { name: 'settings', to: '/settings', icon: IconSettings, keys: 'g s' },
  { name: 'api', to: '/api', icon: IconApi, keys: 'g a' },
  { name: 'inbox', to: '/inbox', icon: IconInbox, keys: 'g i' },
];
