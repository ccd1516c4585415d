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

/** `operator`: only in the account of the operator. */
/** `whole`: it is about the whole account. */
export type SettingsSection = { name: SectionName; icon: TablerIcon; needs: Permission; operator?: true; whole?: true };

export const sections: readonly SettingsSection[] = [
  { name: 'account', icon: IconBuilding, needs: 'account:read' },
  { name: 'sending', icon: IconSend, needs: 'account:read' },
  { name: 'brand', icon: IconPalette, needs: 'campaigns:read' },
  { name: 'security', icon: IconLock, needs: 'account:read' },
  { name: 'people', icon: IconUsers, needs: 'account:admin', whole: true },
  { name: 'keys', icon: IconKey, needs: 'account:admin', whole: true },
  { name: 'senders', icon: IconAt, needs: 'account:read' },
  { name: 'domains', icon: IconWorldCheck, needs: 'account:read', whole: true },
  { name: 'relays', icon: IconServer2, needs: 'sending:write', whole: true },
  { name: 'returned', icon: IconMailForward, needs: 'sending:write', whole: true },
  { name: 'suppression', icon: IconMailOff, needs: 'contacts:read', whole: true },
  { name: 'fields', icon: IconForms, needs: 'contacts:read', whole: true },
  { name: 'clean-up', icon: IconEraser, needs: 'contacts:read', whole: true },
  { name: 'archive', icon: IconArchive, needs: 'campaigns:read' },
  { name: 'data', icon: IconDatabase, needs: 'contacts:read' },
  { name: 'audit', icon: IconHistory, needs: 'account:admin', whole: true },
  { name: 'accounts', icon: IconBuildingSkyscraper, needs: 'account:admin', operator: true, whole: true },
];
