// The sign-up form as visitors see it, beside its settings; it follows what is saved.
import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useText } from '../../text/use-text.tsx';
import classes from './forms.module.css';
import type { ListForm } from './list-form.ts';

export function FormPreview({ form }: { form: ListForm }) {
  const t = useText('forms');
  const { url, settings } = form;
  const page = useQuery({
    // Under the name of its method, so that a change of the form fetches it again.
    queryKey: ['list', 'form page', url, settings],
    queryFn: async () => {
      // On this origin, whatever the public address is.
      const answer = await fetch(new URL(url, window.location.origin).pathname);
      return answer.ok ? answer.text() : '';
    },
    enabled: settings.enabled,
  });
  return (
    <aside className={classes.preview} aria-label={t('preview')}>
      <Text size="xs" c="dimmed" mb={4}>
        {t('preview')}
      </Text>
      {!settings.enabled ? (
        <div className={classes.off}>{t('previewOff')}</div>
      ) : page.data === undefined ? (
        <Skeleton height={480} />
      ) : (
        <iframe className={classes.frame} title={t('preview')} sandbox="" srcDoc={page.data} />
      )}
    </aside>
  );
}
