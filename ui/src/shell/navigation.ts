// The navigation entries in order, in groups: daily work, the tools of developers, the built-in inbox and the settings.
import {
  IconApi,
  IconFilter,
  IconForms,
  IconHome,
  IconInbox,
  IconKey,
  IconList,
  IconMail,
  IconRoute,
  IconRss,
  IconSend,
  IconSettings,
  IconTemplate,
  IconUsers,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Target } from '../parts/link.tsx';
import type { Permission } from '../session/session.ts';

type NavigationName =
  | 'home'
  | 'campaigns'
  | 'recurring'
  | 'automations'
  | 'contacts'
  | 'lists'
  | 'segments'
  | 'forms'
  | 'templates'
  | 'keys'
  | 'webhooks'
  | 'messages'
  | 'settings'
  | 'api'
  | 'inbox';

export type Entry = {
  name: NavigationName;
  to: Target['to'];
  icon: TablerIcon;
  keys: string;
  /** The entry that this one is part of. */
  within?: NavigationName;
  /** Pages of this entry that are not below its address. */
  pages?: RegExp;
  needs?: Permission;
  /** It is about the whole account. */
  whole?: true;
};

type Group = { title?: 'developers'; entries: readonly Entry[] };

export const navigation: readonly Group[] = [
  {
    entries: [
      { name: 'home', to: '/home', icon: IconHome, keys: 'g h' },
      { name: 'campaigns', to: '/campaigns', icon: IconMail, keys: 'g c', needs: 'campaigns:read' },
      {
        name: 'recurring',
        to: '/recurring',
        icon: IconRss,
        keys: 'g r',
        within: 'campaigns',
        needs: 'campaigns:read',
      },
      { name: 'automations', to: '/automations', icon: IconRoute, keys: 'g o', needs: 'campaigns:read' },
      { name: 'contacts', to: '/contacts', icon: IconUsers, keys: 'g p', needs: 'contacts:read' },
      { name: 'lists', to: '/lists', icon: IconList, keys: 'g l', within: 'contacts', needs: 'contacts:read' },
      {
        name: 'segments',
        to: '/segments',
        icon: IconFilter,
        keys: 'g e',
        within: 'contacts',
        needs: 'contacts:read',
        pages: /^\/lists\/[^/]+\/segments\/[^/]+$/,
      },
      {
        name: 'forms',
        to: '/forms',
        icon: IconForms,
        keys: 'g f',
        within: 'contacts',
        needs: 'contacts:read',
        pages: /^\/lists\/[^/]+\/form$/,
      },
      { name: 'templates', to: '/templates', icon: IconTemplate, keys: 'g t', needs: 'campaigns:read' },
    ],
  },
  {
    title: 'developers',
    entries: [
      { name: 'api', to: '/api', icon: IconApi, keys: 'g a' },
      { name: 'keys', to: '/settings/keys', icon: IconKey, keys: 'g k', needs: 'account:admin' },
      { name: 'webhooks', to: '/webhooks', icon: IconWebhook, keys: 'g w', needs: 'webhooks:read', whole: true },
      { name: 'messages', to: '/messages', icon: IconSend, keys: 'g m', needs: 'messages:read', whole: true },
    ],
  },
  {
    entries: [
      { name: 'inbox', to: '/inbox', icon: IconInbox, keys: 'g i', needs: 'contacts:read', whole: true },
      { name: 'settings', to: '/settings', icon: IconSettings, keys: 'g s' },
    ],
  },
];
