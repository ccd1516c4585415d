// The secret: shown once when created, rotated with both secrets valid for 24 hours, or removed.
import { Button, Code, Group, Text } from '@mantine/core';
import { useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Section } from '../../parts/page.tsx';
import { TimeIn } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Webhook } from './hook-status.tsx';
import { MadeSecret } from './made-secret.tsx';

export function Secret({
  hook,
  made,
  onMade,
}: {
  hook: Webhook;
  made: string | undefined;
  onMade(secret: string | undefined): void;
}) {
  const t = useText('webhooks');
  const rotate = useMutate('webhookRotateSecret');
  const update = useMutate('webhookUpdate');
  const has = hook.secret_key !== '';
  const begin = async () => {
    if (has && !(await confirm({ title: t('rotateTitle'), text: t('rotateText'), action: t('rotate') }))) return;
    rotate.mutate({ wid: hook.id }, { onSuccess: ({ secret_key }) => onMade(secret_key), onError: toast.failed });
  };
  const remove = async () => {
    const yes = await confirm({
      title: t('removeSecretTitle'),
      text: t('removeSecretText'),
      action: t('removeSecret'),
      danger: true,
    });
    if (!yes) return;
    update.mutate(
      { wid: hook.id, name: 'secret_key', value: '' },
      { onSuccess: () => onMade(undefined), onError: toast.failed },
    );
  };
  return (
    <Section title={t('secret')} description={has ? t('signedAbout') : t('unsignedAbout')}>
      {has && (
        <Group gap="sm">
          <Text c="dimmed">{t('secretInUse')}</Text>
          <Code>{hook.secret_key}</Code>
        </Group>
      )}
      {made && (
        <MadeSecret secret={made}>
          {rotate.data?.old_valid_until && (
            <Text size="sm">
              <TimeIn text={t('oldUntil')} at={rotate.data.old_valid_until} />
            </Text>
          )}
        </MadeSecret>
      )}
      <Group>
        <Button loading={rotate.isPending} onClick={begin} variant={has ? 'default' : 'filled'}>
          {has ? t('rotate') : t('createSecret')}
        </Button>
        {has && (
          <Button variant="default" onClick={remove}>
            {t('removeSecret')}
          </Button>
        )}
      </Group>
    </Section>
  );
}
