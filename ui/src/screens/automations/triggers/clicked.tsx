// A contact clicks in a campaign.

import { useMethod } from '../../../api/use-method.ts';
import { Select } from '../../../parts/form/select.tsx';
import { useNameOf } from '../../../parts/tagged/tagged.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { FieldsProps } from '../steps/kind.ts';
import type { TriggerKind, TriggerOf } from './kind.ts';

export const clicked: TriggerKind<'clicked'> = {
  blank: { type: 'clicked', campaign: '' },
  words: (t, { campaign }, { names }) => t('says.clicked', { campaign: names[campaign] ?? '…' }),
  Fields,
};

function Fields({ info, draft, onChange }: FieldsProps<TriggerOf<'clicked'>>) {
  const t = useText('automations');
  const nameOf = useNameOf();
  const { data = [] } = useMethod('campaigns', { filters: { list_id: info.list }, limit: 200 });
  return (
    <Select
      label={t('campaign')}
      data={data.map((campaign) => ({ value: campaign.id, label: nameOf(campaign) }))}
      searchable
      allowDeselect={false}
      value={draft.campaign === '' ? null : draft.campaign}
      onChange={(campaign) => onChange({ ...draft, campaign: campaign ?? '' })}
    />
  );
}
