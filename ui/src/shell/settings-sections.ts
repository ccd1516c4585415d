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
  IconServer2,
  IconUsers,
  IconWorldCheck,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Scope } from '../session/session.ts';

export type SectionName =
  | 'account'
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
export type SettingsSection = { name: SectionName; icon: TablerIcon; needs: Scope; operator?: true };

export const sections: readonly SettingsSection[] = [
  { name: 'account', icon: IconBuilding, needs: 'read' },
  { name: 'brand', icon: IconPalette, needs: 'read' },
  { name: 'security', icon: IconLock, needs: 'read' },
  { name: 'people', icon: IconUsers, needs: 'admin' },
  { name: 'keys', icon: IconKey, needs: 'admin' },
  { name: 'senders', icon: IconAt, needs: 'read' },
  { name: 'domains', icon: IconWorldCheck, needs: 'read' },
  { name: 'relays', icon: IconServer2, needs: 'admin' },
  { name: 'returned', icon: IconMailForward, needs: 'admin' },
  { name: 'suppression', icon: IconMailOff, needs: 'read' },
  { name: 'fields', icon: IconForms, needs: 'read' },
  { name: 'clean-up', icon: IconEraser, needs: 'read' },
  { name: 'archive', icon: IconArchive, needs: 'read' },
  { name: 'data', icon: IconDatabase, needs: 'read' },
  { name: 'audit', icon: IconHistory, needs: 'admin' },
  { name: 'accounts', icon: IconBuildingSkyscraper, needs: 'admin', operator: true },
];
