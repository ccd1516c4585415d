// Choosing a picture for a mail: one from this computer (by button, drop or paste) or one that was put in earlier. What it
// shows is asked for before it is used, since readers whose program loads no pictures see nothing else.
import {
  Button,
  Checkbox,
  FileButton,
  Group,
  Image,
  Modal,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
  UnstyledButton,
} from '@mantine/core';
import { IconPhotoPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { useFaultText } from '../../../parts/fault.tsx';
import { DropZone } from '../../../parts/form/drop-zone.tsx';
import { besideField } from '../../../parts/form/fault-field.ts';
import { useFormats } from '../../../parts/formats.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import { base64Of } from '../archive-file.ts';
import { droppedPicture, pastedPicture, pictureTypes } from './picture-file.ts';
import classes from './pictures.module.css';

export type ChosenPicture = {
  url: string;
  alt: string;
  /** In pixels, as the file has it. */
  width: number;
};

export type PictureAsk = {
  /** One that was dropped or pasted already. */
  file?: File | undefined;
  alt?: string;
  onChoose(picture: ChosenPicture): void;
};

type Asset = ResultOf<'assets'>[number];

// A file that was dropped into a frame is a File of that frame, not of this page: instanceof does not know it.
const isAsset = (one: File | Asset): one is Asset => 'url' in one;

/** `ask` opens the dialog; `dialog` stands somewhere in the screen. */
export function usePictureDialog(): { ask(what: PictureAsk): void; dialog: ReactNode } {
  const t = useText('composer');
  // Kept while the dialog fades out.
  const [asked, setAsked] = useState<PictureAsk>();
  const [opened, setOpened] = useState(false);
  const close = () => setOpened(false);
  const dialog = (
    <Modal
      opened={opened}
      onClose={close}
      title={t('pictureTitle')}
      size="xl"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {asked && (
        <Choice
          ask={asked}
          onChoose={(picture) => {
            close();
            asked.onChoose(picture);
          }}
        />
      )}
    </Modal>
  );
  const ask = (what: PictureAsk) => {
    setAsked(what);
    setOpened(true);
  };
  return { ask, dialog };
}

function Choice({ ask, onChoose }: { ask: PictureAsk; onChoose(picture: ChosenPicture): void }) {
  const t = useText('composer');
  const words = useFaultText();
  const create = useMutate('assetCreate');
  const [chosen, setChosen] = useState<File | Asset | undefined>(ask.file);
  const [alt, setAlt] = useState(ask.alt ?? '');
  const [ornament, setOrnament] = useState(false);
  const [fault, setFault] = useState('');
  const [altFault, setAltFault] = useState('');
  const take = (next: File | Asset | undefined | null) => {
    if (!next) return;
    setChosen(next);
    setFault('');
    setAltFault('');
    if (isAsset(next) && next.alt !== '') setAlt(next.alt);
  };
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const file = pastedPicture(event.clipboardData);
      if (!file) return;
      event.preventDefault();
      take(file);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  });
  const use = async () => {
    if (!chosen) return;
    if (!ornament && alt.trim() === '') return setAltFault(t('pictureAltMissing'));
    const shown = ornament ? '' : alt.trim();
    if (isAsset(chosen)) return onChoose({ url: chosen.url, alt: shown, width: chosen.width });
    try {
      const made = await create.mutateAsync({
        content: await base64Of(chosen),
        title: chosen.name.slice(0, 200),
        alt: shown,
      });
      onChoose({ url: made.url, alt: shown, width: made.width });
    } catch (error) {
      setFault(besideField(words(error), 'content'));
    }
  };
  return (
    <Stack gap="md">
      <DropZone onDrop={(dropped) => take(droppedPicture(dropped))}>
        <FileButton accept={pictureTypes} onChange={take} inputProps={{ 'aria-label': t('pictureUpload') }}>
          {(props) => (
            <Button variant="default" leftSection={<IconPhotoPlus size={16} aria-hidden />} {...props}>
              {t('pictureUpload')}
            </Button>
          )}
        </FileButton>
        <Text c="dimmed" size="xs">
          {t('pictureDropHint')}
        </Text>
        {fault && (
          <Text c="var(--mantine-color-error)" role="alert">
            {fault}
          </Text>
        )}
      </DropZone>
      {chosen && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            // A form in a portal is still within the form that React knows around it.
            event.stopPropagation();
            use();
          }}
        >
          <Group align="flex-start" gap="md">
            <Shown picture={chosen} />
            <Stack gap="sm" flex={1} miw={220}>
              <TextInput
                data-autofocus
                label={t('pictureAlt')}
                description={t('pictureAltHint')}
                value={alt}
                onChange={(event) => {
                  setAlt(event.currentTarget.value);
                  setAltFault('');
                }}
                disabled={ornament}
                error={altFault}
                maxLength={500}
              />
              <Checkbox
                label={t('pictureOrnament')}
                checked={ornament}
                onChange={(event) => {
                  setOrnament(event.currentTarget.checked);
                  setAltFault('');
                }}
              />
              <Group>
                <Button type="submit" loading={create.isPending}>
                  {t('pictureUse')}
                </Button>
              </Group>
            </Stack>
          </Group>
        </form>
      )}
      <Earlier chosen={chosen && isAsset(chosen) ? chosen.name : undefined} onChoose={take} />
    </Stack>
  );
}

function Shown({ picture }: { picture: File | Asset }) {
  const [address, setAddress] = useState('');
  useEffect(() => {
    if (isAsset(picture)) return setAddress(new URL(picture.url).pathname);
    const made = URL.createObjectURL(picture);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  return address === '' ? null : (
    <Image src={address} alt="" w={200} h={150} fit="contain" className={classes.picture} />
  );
}

const pageSize = 24;

function Earlier({ chosen, onChoose }: { chosen: string | undefined; onChoose(asset: Asset): void }) {
  const t = useText('composer');
  const { number } = useFormats();
  const [limit, setLimit] = useState(pageSize);
  const answer = useMethod('assets', { limit }, { keep: true });
  const remove = useMutate('assetDelete');
  const drop = (name: string) =>
    remove.mutate({ name }, { onSuccess: () => toast.done(t('pictureGone')), onError: (error) => toast.failed(error) });
  return (
    <Stack gap="sm">
      <Title order={3}>{t('picturesEarlier')}</Title>
      <Loaded query={answer}>
        {(all) =>
          all.length === 0 ? (
            <Text c="dimmed">{t('picturesNone')}</Text>
          ) : (
            <>
              <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
                {all.map((one) => (
                  <div key={one.name} className={classes.earlier} data-chosen={one.name === chosen || undefined}>
                    <UnstyledButton
                      w="100%"
                      aria-pressed={one.name === chosen}
                      aria-label={one.title || one.alt || one.name}
                      onClick={() => onChoose(one)}
                    >
                      <Image src={new URL(one.url).pathname} alt="" h={96} fit="contain" className={classes.picture} />
                    </UnstyledButton>
                    <Group justify="space-between" wrap="nowrap" gap="xs" p="xs">
                      <div className={classes.words}>
                        <Text size="xs" truncate>
                          {one.title}
                        </Text>
                        <Text size="xs" c="dimmed">
                          {number(one.width)} × {number(one.height)}
                        </Text>
                      </div>
                      <UnstyledButton
                        aria-label={t('pictureDelete', { name: one.title || one.name })}
                        onClick={() => drop(one.name)}
                        className={classes.remove}
                      >
                        <IconTrash size={16} aria-hidden />
                      </UnstyledButton>
                    </Group>
                  </div>
                ))}
              </SimpleGrid>
              {all.length === limit && (
                <Group justify="center">
                  <Button variant="subtle" size="xs" onClick={() => setLimit(limit + pageSize)}>
                    {t('picturesMore')}
                  </Button>
                </Group>
              )}
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}
