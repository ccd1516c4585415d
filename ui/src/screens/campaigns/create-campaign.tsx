// The button that creates a campaign, with its shortcut: the primary action of Home and of the campaigns.
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useShortcut } from '../../parts/keys.ts';
import { useText } from '../../text/use-text.tsx';

const composer: string = '/campaigns/new';

export function CreateCampaign() {
  const t = useText('campaigns');
  const navigate = useNavigate();
  useShortcut('c', t('create'), () => navigate({ to: composer }));
  return (
    <Button component={Link} to={composer} leftSection={<IconPlus size={16} aria-hidden />}>
      {t('create')}
    </Button>
  );
}
