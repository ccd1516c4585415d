// The button that creates a campaign, with its shortcut: the primary action of Home and of the campaigns.
import { IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useShortcut } from '../../parts/keys.ts';
import { LinkButton } from '../../parts/link.tsx';
import { useText } from '../../text/use-text.tsx';

export function CreateCampaign() {
  const t = useText('campaigns');
  const navigate = useNavigate();
  useShortcut('c', t('create'), () => navigate({ to: '/campaigns/new' }));
  return (
    <LinkButton to="/campaigns/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {t('create')}
    </LinkButton>
  );
}
