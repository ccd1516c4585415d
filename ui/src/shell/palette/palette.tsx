// The palette: commands, places, campaigns, lists and contacts, and what was chosen here last. Loaded when first opened.
import { useNameOf, useTagless } from '../../parts/tagged/tagged.tsx';
import '@mantine/spotlight/styles.layer.css';
import { Group, Kbd } from '@mantine/core';
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from '@mantine/spotlight';
import { IconHistory, IconMail, IconSearch, IconUser, IconUsers } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { useFocusBack } from '../../parts/form/focus-back.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { type Command, useCommands, usePlaces } from './commands.ts';
import { remember, useRecent } from './recent.ts';

const [store, palette] = createSpotlight();

export default function Palette({ onClose }: { onClose(): void }) {
  const t = useText('shell');
  const navigate = useNavigate();
  const nameOf = useNameOf();
  const tagless = useTagless();
  const [query, setQuery] = useState('');
  useFocusBack();
  useEffect(() => palette.open(), []);
  const wanted = query.trim();
  const found = useMethod('campaignSearch', { query: wanted, limit: 6 }, { enabled: wanted.length > 1, keep: true });
  const { may } = useSession();
  const contacts = useMethod(
    'contactSearch',
    { query: wanted, limit: 6 },
    { enabled: wanted.length > 1 && may('contacts:read'), keep: true },
  );
  const lists = useMethod('lists', { limit: 1000 });

  const commands = useCommands().map(actionOf);
  const places = usePlaces().map(actionOf);
  const recent = useRecent();
  const open = (to: string, label: string) => {
    remember(recent.account, { to, label });
    void navigate({ to });
  };
  const campaigns: SpotlightActionData[] = (wanted.length > 1 ? (found.data?.data ?? []) : []).map((campaign) => ({
    id: `campaign ${campaign.id}`,
    label: nameOf(campaign),
    description: campaign.subject === campaign.title ? undefined : tagless(campaign.subject),
    // The server found it by its own rules, so it is shown whatever its text.
    keywords: wanted,
    leftSection: <IconMail size={16} aria-hidden />,
    onClick: () => open(`/campaigns/${campaign.id}`, nameOf(campaign)),
  }));
  const people: SpotlightActionData[] = (wanted.length > 1 ? (contacts.data ?? []) : []).map((contact) => ({
    id: `contact ${contact.id}`,
    label: contact.email,
    keywords: wanted,
    leftSection: <IconUser size={16} aria-hidden />,
    onClick: () => open(`/contacts/${encodeURIComponent(contact.email)}`, contact.email),
  }));
  const listed: SpotlightActionData[] = (lists.data ?? [])
    .filter(({ name }) => wanted.length > 1 && name.toLowerCase().includes(wanted.toLowerCase()))
    .slice(0, 6)
    .map((list) => ({
      id: `list ${list.id}`,
      label: list.name,
      keywords: wanted,
      leftSection: <IconUsers size={16} aria-hidden />,
      onClick: () => open(`/lists/${list.id}`, list.name),
    }));
  const visited: SpotlightActionData[] = recent.items.map(({ to, label }) => ({
    id: `recent ${to}`,
    label: tagless(label),
    leftSection: <IconHistory size={16} aria-hidden />,
    onClick: () => open(to, label),
  }));
  const groups: SpotlightActionGroupData[] = [
    ...(wanted === '' && visited.length > 0 ? [{ group: t('recent'), actions: visited }] : []),
    { group: t('actions'), actions: commands },
    { group: t('goTo'), actions: places },
    ...(campaigns.length > 0 ? [{ group: t('nav.campaigns'), actions: campaigns }] : []),
    ...(listed.length > 0 ? [{ group: t('nav.lists'), actions: listed }] : []),
    ...(people.length > 0 ? [{ group: t('contacts'), actions: people }] : []),
  ];
  return (
    <Spotlight
      store={store}
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
        leftSection: <IconSearch size={16} aria-hidden />,
        placeholder: t('palette'),
        'aria-label': t('search'),
      }}
    />
  );
}

/** A command as a row of the palette, with its keys. */
function actionOf({ id, label, icon: Icon, keys, run }: Command): SpotlightActionData {
  return {
    id,
    label,
    leftSection: <Icon size={16} aria-hidden />,
    rightSection: keys && (
      <Group gap={2} wrap="nowrap" aria-hidden>
        {keys.split(' ').map((key) => (
          <Kbd key={key} size="xs">
            {key}
          </Kbd>
        ))}
      </Group>
    ),
    onClick: run,
  };
}
