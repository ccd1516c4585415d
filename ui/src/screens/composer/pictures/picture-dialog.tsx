// Chooses an image for a message: an upload (by button, drop or paste) or one used earlier. Requires an alt text or a mark
// as decorative, since recipients whose email client loads no images see nothing else.
import {
  Button,
  Checkbox,
  FileButton,
  Group,
  Image,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
  UnstyledButton,
} from '@mantine/core';
import { IconPhotoPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { maxPictureBytes } from '../../../../../src/campaigns/content/limits.ts';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { useFaultText } from '../../../parts/fault.tsx';
import { DropZone } from '../../../parts/form/drop-zone.tsx';
import { besideField } from '../../../parts/form/fault-field.ts';
import { useFormats } from '../../../parts/formats.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Modal } from '../../../parts/modal.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { sizeText } from '../attachments/attached.ts';
import { base64Of } from '../content/archive-file.ts';
import { droppedPicture, pastedPicture, pictureTypes } from './picture-file.ts';
import classes from './pictures.module.css';
import { type ScaledPicture, scaledPicture } from './scaled-picture.ts';

export type ChosenPicture = {
  url: string;
  alt: string;
  /** The width of the file, in pixels. */
  width: number;
};

export type PictureRequest = {
  /** A file that was dropped or pasted. */
  file?: File | undefined;
  alt?: string;
  onChoose(picture: ChosenPicture): void;
};

type Asset = ResultOf<'assets'>[number];

// instanceof File fails for a file dropped into a frame: that is the File class of the frame.
const isAsset = (picture: File | Asset): picture is Asset => 'url' in picture;

/** `ask` opens the dialog; the screen renders `dialog`. */
export function usePictureDialog(): { ask(request: PictureRequest): void; dialog: ReactNode } {
  const t = useText('composer');
  // Kept while the dialog fades out.
  const [request, setRequest] = useState<PictureRequest>();
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
      {request && (
        <Choice
          request={request}
          onChoose={(picture) => {
            close();
            request.onChoose(picture);
          }}
        />
      )}
    </Modal>
  );
  const ask = (next: PictureRequest) => {
    setRequest(next);
    setOpened(true);
  };
  return { ask, dialog };
}

function Choice({ request, onChoose }: { request: PictureRequest; onChoose(picture: ChosenPicture): void }) {
  const t = useText('composer');
  const faultText = useFaultText();
  const create = useMutate('assetCreate');
  const [chosen, setChosen] = useState<File | Asset | undefined>(request.file);
  const [altText, setAltText] = useState<AltText>({ alt: request.alt ?? '', decorative: false, fault: '' });
  const [fault, setFault] = useState('');
  const scaling = useScaling(chosen);
  const take = (next: File | Asset | undefined | null) => {
    if (!next) return;
    setChosen(next);
    setFault('');
    setAltText((last) => ({ ...last, fault: '', ...(isAsset(next) && next.alt !== '' && { alt: next.alt }) }));
  };
  usePastedPicture(take);
  const use = async () => {
    if (!chosen) return;
    const { decorative } = altText;
    const alt = decorative ? '' : altText.alt.trim();
    if (!decorative && alt === '') return setAltText({ ...altText, fault: t('pictureAltMissing') });
    if (isAsset(chosen)) return onChoose({ url: chosen.url, alt, width: chosen.width });
    try {
      const title = chosen.name.slice(0, 200);
      const content = await base64Of(scaling.on && scaling.scaled ? scaling.scaled.file : chosen);
      const asset = await create.mutateAsync({ content, title, alt });
      onChoose({ url: asset.url, alt, width: asset.width });
    } catch (error) {
      setFault(besideField(faultText(error), 'content'));
    }
  };
  return (
    <Stack gap="md">
      <Upload fault={fault} onFile={take} />
      {chosen && (
        <ChosenForm
          picture={chosen}
          altText={altText}
          setAltText={setAltText}
          scaling={scaling}
          busy={create.isPending || scaling.busy}
          onUse={use}
        />
      )}
      <EarlierPictures
        hasFile={chosen !== undefined && !isAsset(chosen)}
        chosen={chosen && isAsset(chosen) ? chosen.name : undefined}
        onChoose={take}
      />
    </Stack>
  );
}

type AltText = { alt: string; decorative: boolean; fault: string };

type Scaling = {
  scaled: ScaledPicture | undefined;
  /** The chosen file is being scaled. */
  busy: boolean;
  /** Whether to upload the scaled image. */
  on: boolean;
  setOn(on: boolean): void;
};

function useScaling(chosen: File | Asset | undefined): Scaling {
  const [done, setDone] = useState<{ of: File; scaled: ScaledPicture | undefined }>();
  const [on, setOn] = useState(true);
  const file = chosen && !isAsset(chosen) ? chosen : undefined;
  useEffect(() => {
    if (!file) return;
    let current = true;
    const keep = (scaled: ScaledPicture | undefined) => current && setDone({ of: file, scaled });
    scaledPicture(file).then(keep, () => keep(undefined));
    return () => {
      current = false;
    };
  }, [file]);
  const ready = file !== undefined && done?.of === file;
  return { scaled: ready ? done.scaled : undefined, busy: file !== undefined && !ready, on, setOn };
}

function usePastedPicture(onPaste: (file: File) => void) {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const file = pastedPicture(event.clipboardData);
      if (!file) return;
      event.preventDefault();
      onPaste(file);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  });
}

function Upload({ fault, onFile }: { fault: string; onFile(file: File | null | undefined): void }) {
  const t = useText('composer');
  return (
    <DropZone onDrop={(dropped) => onFile(droppedPicture(dropped))}>
      <FileButton accept={pictureTypes} onChange={onFile} inputProps={{ 'aria-label': t('pictureUpload') }}>
        {(props) => (
          <Button variant="default" leftSection={<IconPhotoPlus size={16} aria-hidden />} {...props}>
            {t('pictureUpload')}
          </Button>
        )}
      </FileButton>
      <Text c="dimmed" size="xs">
        {t('pictureDropHint', { size: sizeText(maxPictureBytes) })}
      </Text>
      {fault && (
        <Text c="var(--mantine-color-error)" role="alert">
          {fault}
        </Text>
      )}
    </DropZone>
  );
}

type ChosenFormProps = {
  picture: File | Asset;
  altText: AltText;
  setAltText(altText: AltText): void;
  scaling: Scaling;
  busy: boolean;
  onUse(): void;
};

/** The chosen picture with its alt text. */
function ChosenForm({ picture, altText, setAltText, scaling, busy, onUse }: ChosenFormProps) {
  const t = useText('composer');
  const change = (part: Partial<AltText>) => setAltText({ ...altText, fault: '', ...part });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // React bubbles events out of the portal, to a form around it.
        event.stopPropagation();
        onUse();
      }}
    >
      <Group align="flex-start" gap="md">
        <Thumbnail picture={picture} />
        <Stack gap="sm" flex={1} miw={220}>
          <TextInput
            data-autofocus
            label={t('pictureAlt')}
            description={t('pictureAltHint')}
            value={altText.alt}
            onChange={(event) => change({ alt: event.currentTarget.value })}
            disabled={altText.decorative}
            error={altText.fault}
            maxLength={500}
          />
          <Checkbox
            label={t('pictureOrnament')}
            checked={altText.decorative}
            onChange={(event) => change({ decorative: event.currentTarget.checked })}
          />
          {!isAsset(picture) && <ScaleSwitch file={picture} scaling={scaling} />}
          <Group>
            <Button type="submit" loading={busy}>
              {t('pictureUse')}
            </Button>
          </Group>
        </Stack>
      </Group>
    </form>
  );
}

/** Shown for a file that can be scaled down: by how much, and a way to keep it as it is. */
function ScaleSwitch({ file, scaling: { scaled, on, setOn } }: { file: File; scaling: Scaling }) {
  const t = useText('composer');
  const { number } = useFormats();
  if (!scaled) return null;
  const about = (size: ScaledPicture['from'], bytes: number) =>
    `${number(size.width)} × ${number(size.height)}, ${sizeText(bytes)}`;
  return (
    <Switch
      label={t('pictureScale')}
      description={`${about(scaled.from, file.size)} → ${about(scaled.to, scaled.file.size)}`}
      checked={on}
      onChange={(event) => setOn(event.currentTarget.checked)}
    />
  );
}

function Thumbnail({ picture }: { picture: File | Asset }) {
  const [address, setAddress] = useState('');
  useEffect(() => {
    if (isAsset(picture)) return setAddress(new URL(picture.url).pathname);
    const objectUrl = URL.createObjectURL(picture);
    setAddress(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [picture]);
  return address === '' ? null : (
    <Image src={address} alt="" w={200} h={150} fit="contain" className={classes.picture} />
  );
}

const pageSize = 24;

type EarlierProps = {
  /** A file is chosen, which is not uploaded yet. */
  hasFile: boolean;
  chosen: string | undefined;
  onChoose(asset: Asset): void;
};

function EarlierPictures({ hasFile, chosen, onChoose }: EarlierProps) {
  const t = useText('composer');
  const { number } = useFormats();
  const [limit, setLimit] = useState(pageSize);
  const answer = useMethod('assets', { limit }, { keep: true });
  const remove = useMutate('assetDelete');
  const { mayAll } = useSession();
  const drop = (name: string) =>
    remove.mutate({ name }, { onSuccess: () => toast.done(t('pictureGone')), onError: (error) => toast.failed(error) });
  if (hasFile && answer.data?.length === 0) return null;
  return (
    <Stack gap="sm">
      <Title order={3}>{t('picturesEarlier')}</Title>
      <Loaded query={answer}>
        {(assets) =>
          assets.length === 0 ? (
            <Text c="dimmed">{t('picturesNone')}</Text>
          ) : (
            <>
              <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
                {assets.map((asset) => (
                  <div key={asset.name} className={classes.earlier} data-chosen={asset.name === chosen || undefined}>
                    <UnstyledButton
                      w="100%"
                      aria-pressed={asset.name === chosen}
                      aria-label={asset.title || asset.alt || asset.name}
                      onClick={() => onChoose(asset)}
                    >
                      <Image
                        src={new URL(asset.url).pathname}
                        alt=""
                        h={96}
                        fit="contain"
                        className={classes.picture}
                      />
                    </UnstyledButton>
                    <Group justify="space-between" wrap="nowrap" gap="xs" p="xs">
                      <div className={classes.words}>
                        <Text size="xs" truncate>
                          {asset.title}
                        </Text>
                        <Text size="xs" c="dimmed">
                          {number(asset.width)} × {number(asset.height)}
                        </Text>
                      </div>
                      {mayAll('campaigns:write') && (
                        <UnstyledButton
                          aria-label={t('pictureDelete', { name: asset.title || asset.name })}
                          onClick={() => drop(asset.name)}
                          className={classes.remove}
                        >
                          <IconTrash size={16} aria-hidden />
                        </UnstyledButton>
                      )}
                    </Group>
                  </div>
                ))}
              </SimpleGrid>
              {assets.length === limit && (
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
