// Global search: places, actions of the current screen, campaigns, lists and contacts. Loaded when first opened.
import '@mantine/spotlight/styles.css';
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from '@mantine/spotlight';
import { IconMail, IconSearch, IconUser, IconUsers } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMethod } from '../api/use-method.ts';
import { useFocusBack } from '../parts/form/focus-back.ts';
import { useText } from '../text/use-text.tsx';
import type { Entry } from './navigation.ts';

const [finderStore, finder] = createSpotlight();

export default function Finder({ entries, onClose }: { entries: readonly Entry[]; onClose(): void }) {
  const t = useText('shell');
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  useFocusBack();
  useEffect(() => finder.open(), []);
  const wanted = query.trim();
  const found = useMethod('campaignSearch', { query: wanted, limit: 6 }, { enabled: wanted.length > 1, keep: true });

  const contacts = useMethod('contactSearch', { query: wanted, limit: 6 }, { enabled: wanted.length > 1, keep: true });
  const lists = useMethod('lists', { limit: 1000 });

  const places: SpotlightActionData[] = entries.map(({ name, to, icon: Icon }) => ({
    id: name,
    label: t(`nav.${name}`),
    leftSection: <Icon size={18} aria-hidden />,
    onClick: () => void navigate({ to }),
  }));
  const campaigns: SpotlightActionData[] = (wanted.length > 1 ? (found.data?.data ?? []) : []).map((campaign) => ({
    id: `campaign ${campaign.id}`,
    label: campaign.title,
    description: campaign.subject === campaign.title ? undefined : campaign.subject,
    // The server found it by its own rules, so it is shown whatever its text.
    keywords: wanted,
    leftSection: <IconMail size={18} aria-hidden />,
    onClick: () => void navigate({ to: `/campaigns/${campaign.id}` }),
  }));
  const people: SpotlightActionData[] = (wanted.length > 1 ? (contacts.data ?? []) : []).map((contact) => ({
    id: `contact ${contact.id}`,
    label: contact.email,
    keywords: wanted,
    leftSection: <IconUser size={18} aria-hidden />,
    onClick: () => void navigate({ to: `/contacts/${encodeURIComponent(contact.email)}` }),
  }));
  const listed: SpotlightActionData[] = (lists.data ?? [])
    .filter(({ name }) => wanted.length > 1 && name.toLowerCase().includes(wanted.toLowerCase()))
    .slice(0, 6)
    .map((list) => ({
      id: `list ${list.id}`,
      label: list.name,
      keywords: wanted,
      leftSection: <IconUsers size={18} aria-hidden />,
      onClick: () => void navigate({ to: `/lists/${list.id}` }),
    }));
  const groups: SpotlightActionGroupData[] = [
    { group: t('goTo'), actions: places },
    ...(campaigns.length > 0 ? [{ group: t('nav.campaigns'), actions: campaigns }] : []),
    ...(listed.length > 0 ? [{ group: t('nav.lists'), actions: listed }] : []),
    ...(people.length > 0 ? [{ group: t('contacts'), actions: people }] : []),
  ];
  return (
    <Spotlight
      store={finderStore}
      attributes={{ content: { 'aria-label': t('search') } }}
      onSpotlightClose={onClose}
      query={query}
      onQueryChange={setQuery}
      actions={groups}
      shortcut={null}
      scrollable
      highlightQuery
      maxHeight={420}
      nothingFound={t('nothingFound')}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: t('search'),
        'aria-label': t('search'),
      }}
    />
  );
}
