// Edits a webhook, sending only changed settings, one after the other.
import { Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Webhook } from './hook-status.tsx';
import { WebhookExample, WebhookFields, type WebhookValues } from './webhook-fields.tsx';
import classes from './webhooks.module.css';

export function Settings({ hook }: { hook: Webhook }) {
  const t = useText('webhooks');
  const client = useQueryClient();
  const before: WebhookValues = {
    title: hook.title,
    url: hook.url,
    secret_key: '',
    list_id: hook.list_id,
    events: hook.events,
    sources: hook.sources,
    algorithm: hook.algorithm,
    format: hook.format,
    signature_header: hook.signature_header,
  };
  const form = useMethodForm({
    initialValues: before,
    send: async (values) => {
      for (const name of Object.keys(before) as (keyof WebhookValues)[]) {
        if (JSON.stringify(values[name]) === JSON.stringify(before[name])) continue;
        await call('webhookUpdate', { wid: hook.id, name, value: values[name] });
      }
      await invalidate(client, ['webhook']);
    },
    done: () => toast.done(t('saved')),
  });
  return (
    <MethodForm form={form} guard>
      <div className={classes.withExample}>
        <Stack gap="md">
          <WebhookFields form={form} />
          <Group>
            <Submit form={form} disabled={!form.isDirty()}>
              {t('save')}
            </Submit>
          </Group>
        </Stack>
        <WebhookExample form={form} />
      </div>
    </MethodForm>
  );
}
