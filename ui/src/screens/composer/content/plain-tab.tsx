// The plain text: generated from the HTML and updated with it until it is edited by hand.
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMethod } from '../../../api/use-method.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { useText } from '../../../text/use-text.tsx';
import { useDraft } from '../draft.tsx';
import { TagArea } from './merge-tags.tsx';

export function PlainTab() {
  const t = useText('composer');
  const { cid, values, type, change, adopt, flush, fault, fixed } = useDraft();
  const content = useMethod('campaignContent', { cid });
  const options = useMethod('campaignGet', { cid });
  const generated = type !== 'plain text' && options.data?.plain_generated === true && values.plain === '';
  if (generated)
    return (
      <Loaded query={content}>
        {({ plain }) => (
          <Stack gap="sm">
            <Group justify="space-between">
              <Text c="dimmed">{t('plainMade')}</Text>
              {!fixed && (
                <Button variant="default" size="xs" onClick={() => change({ plain })}>
                  {t('plainOwn')}
                </Button>
              )}
            </Group>
            <Textarea
              aria-label={t('plainText')}
              value={plain}
              readOnly
              autosize
              minRows={12}
              maxRows={30}
              styles={mono}
            />
          </Stack>
        )}
      </Loaded>
    );
  /** An empty text with generate_text set is made from the HTML again. */
  const makeAgain = async () => {
    change({ generate_text: true, plain: '' });
    if (await flush()) adopt({ plain: '' });
  };
  return (
    <Stack gap="sm">
      {type !== 'plain text' && !fixed && (
        <Group justify="space-between">
          <Text c="dimmed">{t('plainIsOwn')}</Text>
          <Button variant="default" size="xs" onClick={makeAgain}>
            {t('plainAgain')}
          </Button>
        </Group>
      )}
      <TagArea
        aria-label={t('plainText')}
        tagLabel={t('plainText')}
        name="plain"
        value={values.plain}
        onText={(plain) => change({ plain })}
        error={fault('plain')}
        readOnly={fixed}
        autosize
        minRows={12}
        maxRows={30}
        styles={mono}
      />
    </Stack>
  );
}

const mono = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } };
