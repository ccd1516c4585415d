// The sections of the settings in order, and the permission each requires.
import {
  IconArchive,
  IconAt,
  IconBuilding,
  IconBuildingSkyscraper,
  IconDatabase,
  IconEraser,
  IconForms,
  IconHistory,
  IconKey,
  IconLock,
  IconMailForward,
  IconMailOff,
  IconPalette,
  IconSend,
  IconServer2,
  IconUsers,
  IconWorldCheck,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Permission } from '../session/session.ts';

export type SectionName =
  | 'account'
  | 'sending'
  | 'brand'
  | 'security'
  | 'people'
  | 'keys'
  | 'senders'
  | 'domains'
  | 'relays'
  | 'returned'
  | 'suppression'
  | 'fields'
  | 'clean-up'
  | 'archive'
  | 'data'
  | 'audit'
  | 'accounts';

/** The groups of sections, in order. */
export const settingsGroups = ['organisation', 'sending', 'contacts', 'access'] as const;
export type SettingsGroup = (typeof settingsGroups)[number];

/** `operator`: only in the account of the operator. `whole`: it is about the whole account. */
export type SettingsSection = {
  name: SectionName;
  group: SettingsGroup;
  icon: TablerIcon;
  needs: Permission;
  operator?: true;
  whole?: true;
};

export const sections: readonly SettingsSection[] = [
  { name: 'account', group: 'organisation', icon: IconBuilding, needs: 'account:read' },
  { name: 'brand', group: 'organisation', icon: IconPalette, needs: 'campaigns:read' },
  { name: 'archive', group: 'organisation', icon: IconArchive, needs: 'campaigns:read' },
  {
    name: 'accounts',
    group: 'organisation',
    icon: IconBuildingSkyscraper,
    needs: 'account:admin',
    operator: true,
    whole: true,
  },
  { name: 'sending', group: 'sending', icon: IconSend, needs: 'account:read' },
  { name: 'senders', group: 'sending', icon: IconAt, needs: 'account:read' },
  { name: 'domains', group: 'sending', icon: IconWorldCheck, needs: 'account:read', whole: true },
  { name: 'relays', group: 'sending', icon: IconServer2, needs: 'sending:write', whole: true },
  { name: 'returned', group: 'sending', icon: IconMailForward, needs: 'sending:write', whole: true },
  { name: 'suppression', group: 'contacts', icon: IconMailOff, needs: 'contacts:read', whole: true },
  { name: 'fields', group: 'contacts', icon: IconForms, needs: 'contacts:read', whole: true },
  { name: 'clean-up', group: 'contacts', icon: IconEraser, needs: 'contacts:read', whole: true },
  { name: 'data', group: 'contacts', icon: IconDatabase, needs: 'contacts:read' },
  { name: 'security', group: 'access', icon: IconLock, needs: 'account:read' },
  { name: 'people', group: 'access', icon: IconUsers, needs: 'account:admin', whole: true },
  { name: 'keys', group: 'access', icon: IconKey, needs: 'account:admin', whole: true },
  { name: 'audit', group: 'access', icon: IconHistory, needs: 'account:admin', whole: true },
];
