// Creates a webhook: URL, secret and events. It is signed from the start, and begins with the few events that most receivers need.
// Saving checks the URL with HEAD and shows the response.
import { Group } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { LinkButton } from '../../parts/link.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { useText } from '../../text/use-text.tsx';
import { keepSecret, newSecret } from './new-secret.ts';
import { freshValues, WebhookFields } from './webhook-fields.tsx';

export function NewWebhookScreen() {
  const t = useText('webhooks');
  const navigate = useNavigate();
  const types = useMethod('eventTypes').data;
  const create = useMutate('webhookCreate');
  const [fresh] = useState(() => ({ ...freshValues, secret_key: newSecret() }));
  const form = useMethodForm({
    initialValues: fresh,
    fields: { title: 'title', 'options.secret_key': 'secret_key' },
    validate: { secret_key: (secret) => (secret.trim() === '' ? t('secretMissing') : null) },
    send: ({ title, secret_key, list_id, events, sources, ...rest }) =>
      create.mutateAsync({
        title,
        options: {
          ...rest,
          events,
          sources,
          secret_key,
          ...(list_id ? { list_id } : {}),
        },
      }),
    done: (id, { secret_key }) => {
      keepSecret(id, secret_key);
      navigate({ to: '/webhooks/$id', params: { id } });
    },
  });
  // Selected once it is known which types there are.
  const { setValues, resetDirty } = form;
  useEffect(() => {
    if (!types) return;
    const events = types.map(({ type }) => type).filter((type) => usual.has(type));
    setValues({ events });
    resetDirty({ ...fresh, events });
  }, [types, fresh, setValues, resetDirty]);
  return (
    <Page narrow>
      <PageHeader title={t('newTitle')} description={t('newAbout')} back={{ to: '/webhooks', label: t('title') }} />
      <MethodForm form={form} guard>
        <WebhookFields form={form} secret />
        <Group>
          <Submit form={form}>{t('save')}</Submit>
          <LinkButton to="/webhooks" variant="default">
            {t('cancel')}
          </LinkButton>
        </Group>
      </MethodForm>
    </Page>
  );
}

/** Who joins and leaves, what does not arrive, and that a campaign is through: no event that comes for each email. */
const usual = new Set(['contact.subscribe', 'contact.unsubscribe', 'email.bounce', 'email.complaint', 'campaign.sent']);
