// Search over everything: places, actions of the screen at hand, campaigns and lists by name. Loaded when first opened.
import '@mantine/spotlight/styles.css';
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from '@mantine/spotlight';
import { IconMail, IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMethod } from '../api/use-method.ts';
import { useText } from '../text/use-text.tsx';
import type { Entry } from './navigation.ts';

const [finderStore, finder] = createSpotlight();

export default function Finder({ entries, onClose }: { entries: readonly Entry[]; onClose(): void }) {
  const t = useText('shell');
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  useEffect(() => finder.open(), []);
  const wanted = query.trim();
  const found = useMethod('campaignSearch', { query: wanted, limit: 6 }, { enabled: wanted.length > 1, keep: true });

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
    // The program has found it by its own rules: it is shown, whatever the words.
    keywords: wanted,
    leftSection: <IconMail size={18} aria-hidden />,
    onClick: () => void navigate({ to: `/campaigns/${campaign.id}` }),
  }));
  const groups: SpotlightActionGroupData[] = [
    { group: t('places'), actions: places },
    ...(campaigns.length > 0 ? [{ group: t('nav.campaigns'), actions: campaigns }] : []),
  ];
  return (
    <Spotlight
      store={finderStore}
      attributes={{ content: { 'aria-label': t('find') } }}
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
        placeholder: t('find'),
        'aria-label': t('find'),
      }}
    />
  );
}
