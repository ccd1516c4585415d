// Clean-up rules: what each does and has done, creating one, and the preview by which it is turned on.
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconEraser, IconPlus } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { TimeIn } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { SettingsFrame } from '../frame.tsx';
import classes from '../settings.module.css';
import { type Rule, useRuleWords } from './rule-words.ts';

const NewRule = lazy(() => import('./new-rule.tsx'));
const PreviewDialog = lazy(() => import('./preview-dialog.tsx'));

export function CleanUpScreen() {
  const t = useText('clean-up');
  const { may } = useSession();
  const answer = useMethod('cleanUpRules');
  const [creating, setCreating] = useState(false);
  const [previewed, setPreviewed] = useState<string>();
  const create = may('contacts:write') && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      {t('create')}
    </Button>
  );
  const shown = answer.data?.find(({ id }) => id === previewed);
  return (
    <SettingsFrame section="clean-up" description={t('about')} actions={create}>
      <Loaded query={answer}>
        {(rules) =>
          rules.length === 0 ? (
            <Empty icon={IconEraser} title={t('emptyTitle')} text={t('emptyText')} action={create} />
          ) : (
            <Stack>
              {rules.map((rule) => (
                <OneRule key={rule.id} rule={rule} onPreview={() => setPreviewed(rule.id)} />
              ))}
            </Stack>
          )
        }
      </Loaded>
      <Suspense>
        {creating && (
          <NewRule
            onClose={() => setCreating(false)}
            onDone={(id) => {
              setCreating(false);
              setPreviewed(id);
            }}
          />
        )}
        {shown && <PreviewDialog rule={shown} onClose={() => setPreviewed(undefined)} />}
      </Suspense>
    </SettingsFrame>
  );
}

function OneRule({ rule, onPreview }: { rule: Rule; onPreview(): void }) {
  const t = useText('clean-up');
  const { may } = useSession();
  const { number } = useFormats();
  const words = useRuleWords();
  const disable = useMutate('cleanUpRuleDisable');
  const remove = useMutate('cleanUpRuleDelete');
  const { title, details } = words(rule);
  const name = t('of', { rule: title, list: details[0]! });
  const onDisable = async () => {
    try {
      await disable.mutateAsync({ id: rule.id });
      toast.done(t('disabled'));
    } catch (error) {
      toast.failed(error);
    }
  };
  const onRemove = async () => {
    const question = { title: t('deleteTitle'), text: t('deleteText'), action: t('delete') };
    if (!(await confirm({ ...question, danger: true }))) return;
    try {
      await remove.mutateAsync({ id: rule.id });
      toast.done(t('deleted'));
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Stack gap="sm" className={classes.box} component="section" aria-label={name}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="sm">
            <Title order={2} size="h3">
              {title}
            </Title>
            <Status tone={rule.enabled ? 'good' : 'still'}>{rule.enabled ? t('on') : t('off')}</Status>
          </Group>
          <Text c="dimmed" size="sm" mt={4}>
            {details.join(' · ')}
          </Text>
          <Text c="dimmed" size="xs" mt={4}>
            {rule.last_run_at === '' ? (
              t('neverRan')
            ) : (
              <>
                <TimeIn text={t('lastRun')} at={rule.last_run_at} /> ·{' '}
                {t('done', { count: rule.total_count, number: number(rule.total_count) })}
              </>
            )}
          </Text>
        </div>
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            aria-label={
              rule.enabled || !may('contacts:write') ? t('previewOf', { rule: name }) : `${t('previewEnable')}: ${name}`
            }
            onClick={onPreview}
          >
            {t(rule.enabled || !may('contacts:write') ? 'preview' : 'previewEnable')}
          </Button>
          {may('contacts:write') && rule.enabled && (
            <Button variant="default" size="xs" aria-label={t('disableOf', { rule: name })} onClick={onDisable}>
              {t('disable')}
            </Button>
          )}
          {may('contacts:write') && (
            <Button variant="default" size="xs" aria-label={t('deleteOf', { rule: name })} onClick={onRemove}>
              {t('delete')}
            </Button>
          )}
        </Group>
      </Group>
    </Stack>
  );
}
