// Whose campaigns need an approval. Changed on its own, since it asks for the password.
import { Radio, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { invalidate } from '../../../api/use-method.ts';
import { useFaultText } from '../../../parts/fault.tsx';
import { Section } from '../../../parts/page.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { textOf } from './account-form.tsx';
import { useSaid, useUnsaved } from './save-bar.tsx';

const rules = ['none', 'authors', 'everyone'] as const;
type Rule = (typeof rules)[number];

export function ApprovalRule({ mayChange }: { mayChange: boolean }) {
  const t = useText('settings');
  const { account } = useSession();
  const client = useQueryClient();
  const saved = useSaid();
  const faultText = useFaultText();
  const before = (textOf(account, 'approval') || 'none') as Rule;
  const [rule, setRule] = useState<Rule>(before);
  const [fault, setFault] = useState<string>();
  const { run } = useAction((error) => setFault(faultText(error).replace(/^rule:\s*/, '')));
  const save = () =>
    run(async () => {
      setFault(undefined);
      await call('campaignApprovalRuleUpdate', { rule });
      await invalidate(client, ['session', 'campaign']);
      saved();
    });
  useUnsaved(mayChange && rule !== before, { save, discard: () => setRule(before) });
  return (
    <Section id="approval" title={t('approval')} description={t('approvalAbout')}>
      <Stack>
        <Radio.Group aria-label={t('approval')} value={rule} onChange={(value) => setRule(value as Rule)} error={fault}>
          <Stack gap="sm">
            {rules.map((choice) => (
              <Radio
                key={choice}
                value={choice}
                disabled={!mayChange}
                label={t(`approval.${choice}`)}
                description={t(`approvalAbout.${choice}`)}
              />
            ))}
          </Stack>
        </Radio.Group>
        {mayChange && rule === 'everyone' && before !== 'everyone' && <Text c="dimmed">{t('approvalTwo')}</Text>}
      </Stack>
    </Section>
  );
}
