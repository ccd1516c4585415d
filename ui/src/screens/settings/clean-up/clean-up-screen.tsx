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
  const t = useText('settings');
  const { may } = useSession();
  const answer = useMethod('cleanUpRules');
  const [creating, setCreating] = useState(false);
  const [previewed, setPreviewed] = useState<string>();
  const create = may('contacts:write') && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      {t('cleanUpCreate')}
    </Button>
  );
  const shown = answer.data?.find(({ id }) => id === previewed);
  return (
    <SettingsFrame section="clean-up" description={t('cleanUpAbout')} actions={create}>
      <Loaded query={answer}>
        {(rules) =>
          rules.length === 0 ? (
            <Empty icon={IconEraser} title={t('cleanUpEmptyTitle')} text={t('cleanUpEmptyText')} action={create} />
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
  const t = useText('settings');
  const { may } = useSession();
  const { number } = useFormats();
  const words = useRuleWords();
  const disable = useMutate('cleanUpRuleDisable');
  const remove = useMutate('cleanUpRuleDelete');
  const { title, details } = words(rule);
  const name = t('cleanUpOf', { rule: title, list: details[0]! });
  const onDisable = async () => {
    try {
      await disable.mutateAsync({ id: rule.id });
      toast.done(t('cleanUpDisabled'));
    } catch (error) {
      toast.failed(error);
    }
  };
  const onRemove = async () => {
    const question = { title: t('cleanUpDeleteTitle'), text: t('cleanUpDeleteText'), action: t('cleanUpDelete') };
    if (!(await confirm({ ...question, danger: true }))) return;
    try {
      await remove.mutateAsync({ id: rule.id });
      toast.done(t('cleanUpDeleted'));
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
              t('cleanUpNeverRan')
            ) : (
              <>
                <TimeIn text={t('cleanUpLastRun')} at={rule.last_run_at} /> ·{' '}
                {t('cleanUpDone', { count: rule.total_count, number: number(rule.total_count) })}
              </>
            )}
          </Text>
        </div>
        <Group gap="xs">
          <Button variant="default" size="xs" aria-label={t('cleanUpPreviewOf', { rule: name })} onClick={onPreview}>
            {t('cleanUpPreview')}
          </Button>
          {may('contacts:write') && rule.enabled && (
            <Button variant="default" size="xs" aria-label={t('cleanUpDisableOf', { rule: name })} onClick={onDisable}>
              {t('cleanUpDisable')}
            </Button>
          )}
          {may('contacts:write') && (
            <Button variant="default" size="xs" aria-label={t('cleanUpDeleteOf', { rule: name })} onClick={onRemove}>
              {t('cleanUpDelete')}
            </Button>
          )}
        </Group>
      </Group>
    </Stack>
  );
}
