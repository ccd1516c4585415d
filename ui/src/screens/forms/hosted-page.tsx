// What the hosted page of a form has beside its fields: a picture from the store, and a text.
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconPhoto, IconTrash } from '@tabler/icons-react';
import { pathOf } from '../../api/base-path.ts';
import { useText } from '../../text/use-text.tsx';
import type { usePictureDialog } from '../composer/pictures/picture-dialog.tsx';
import classes from './forms.module.css';
import type { SettingsForm } from './list-form.ts';
import { TextField } from './text-field.tsx';

/** @param ask of a picture dialog, which is outside the form: it is a form itself */
export function HostedPage({ form, ask }: { form: SettingsForm; ask: ReturnType<typeof usePictureDialog>['ask'] }) {
  const t = useText('forms');
  const { picture_url: url, picture_alt: alt } = form.values;
  return (
    <>
      <TextField name="form.about" label={t('pageText')} description={t('pageTextAbout')} page="form" rows={3} links />
      <Stack gap={6}>
        <Text component="span" size="sm" fw={500} id="page-picture">
          {t('pagePicture')}
        </Text>
        {url !== '' && <img src={pathOf(url)} alt={alt} className={classes.picture} />}
        <Group gap="sm">
          <Button
            variant="default"
            leftSection={<IconPhoto size={16} aria-hidden />}
            aria-describedby="page-picture"
            onClick={() =>
              ask({
                alt,
                onChoose: (picture) => form.setValues({ picture_url: picture.url, picture_alt: picture.alt }),
              })
            }
          >
            {t(url === '' ? 'pictureChoose' : 'pictureChange')}
          </Button>
          {url !== '' && (
            <Button
              variant="subtle"
              color="gray"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => form.setValues({ picture_url: '', picture_alt: '' })}
            >
              {t('pictureRemove')}
            </Button>
          )}
        </Group>
      </Stack>
    </>
  );
}
