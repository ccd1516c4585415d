// Crops an image: a shape is chosen, the box is dragged by its edges and corners, or its numbers are typed. The part is stored as an
// image of its own.
import { Button, Group, NumberInput, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { type PointerEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useMutate } from '../../../../api/use-method.ts';
import { useFaultText } from '../../../../parts/fault.tsx';
import { Lines } from '../../../../parts/loaded.tsx';
import { Modal } from '../../../../parts/modal.tsx';
import { useText } from '../../../../text/use-text.tsx';
import { base64Of } from '../../content/archive-file.ts';
import type { ChosenPicture } from '../picture-dialog.tsx';
import classes from './crop.module.css';
import { type Box, dragged, type Grip, grips, type Size, shaped, wholeOf } from './crop-box.ts';
import { croppedPicture, originalOf, rememberOriginal, storedFile } from './cropped-picture.ts';

export type CropRequest = { address: string; alt: string; onCrop(picture: ChosenPicture): void };

/** `ask` opens the dialog; the screen renders `dialog`. */
export function useCropDialog(): { ask(request: CropRequest): void; dialog: ReactNode } {
  const t = useText('composer');
  // Kept while the dialog fades out.
  const [request, setRequest] = useState<CropRequest>();
  const [opened, setOpened] = useState(false);
  const close = () => setOpened(false);
  const dialog = (
    <Modal
      opened={opened}
      onClose={close}
      title={t('cropTitle')}
      size="xl"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {request && (
        <Crop
          key={request.address}
          request={request}
          onDone={(picture) => {
            close();
            request.onCrop(picture);
          }}
        />
      )}
    </Modal>
  );
  const ask = (next: CropRequest) => {
    setRequest(next);
    setOpened(true);
  };
  return { ask, dialog };
}

const shapes = { free: undefined, '1:1': 1, '4:3': 4 / 3, '3:2': 3 / 2, '16:9': 16 / 9, '3:1': 3 } as const;
type Shape = keyof typeof shapes;

function Crop({ request, onDone }: { request: CropRequest; onDone(picture: ChosenPicture): void }) {
  const t = useText('composer');
  const faultText = useFaultText();
  const create = useMutate('assetCreate');
  const original = originalOf(request.address);
  const address = original?.address ?? request.address;
  const { file, shown, image, fault: unread } = useStored(address);
  const [chosen, setChosen] = useState<Box | undefined>(original?.box);
  const [shape, setShape] = useState<Shape>('free');
  const [fault, setFault] = useState('');
  const box = chosen ?? (image && wholeOf(image));
  if (unread) return <Text role="alert">{t('cropUnread')}</Text>;
  if (!file || !image || !box) return <Lines />;
  const crop = async () => {
    try {
      const part = await croppedPicture(file, box);
      const title = address.slice(address.lastIndexOf('/') + 1);
      const stored = await create.mutateAsync({ content: await base64Of(part), title, alt: request.alt });
      rememberOriginal(stored.url, address, box);
      onDone({ url: stored.url, alt: request.alt, width: stored.width });
    } catch (error) {
      setFault(faultText(error));
    }
  };
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label={t('cropShape')}
        value={shape}
        onChange={(value) => {
          const next = value as Shape;
          setShape(next);
          const wanted = shapes[next];
          if (wanted) setChosen(shaped(box, image, wanted));
        }}
        data={Object.keys(shapes).map((value) => ({ value, label: value === 'free' ? t('cropFree') : value }))}
      />
      <Stage shown={shown} image={image} box={box} shape={shapes[shape]} onBox={setChosen} />
      <Numbers
        image={image}
        box={box}
        onBox={(next) => {
          setShape('free');
          setChosen(next);
        }}
      />
      <Text c="dimmed" size="xs">
        {t('cropHint')}
      </Text>
      {fault && (
        <Text c="var(--mantine-color-error)" role="alert">
          {fault}
        </Text>
      )}
      <Group>
        <Button onClick={() => void crop()} loading={create.isPending}>
          {t('cropDo')}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            setShape('free');
            setChosen(wholeOf(image));
          }}
        >
          {t('cropWhole')}
        </Button>
      </Group>
    </Stack>
  );
}

/** The file of a stored image, to be cut and to be shown, and its size. */
function useStored(address: string) {
  const [read, setRead] = useState<{ file: Blob; shown: string; image: Size }>();
  const [fault, setFault] = useState(false);
  useEffect(() => {
    let current = true;
    let shown = '';
    const load = async () => {
      const file = await storedFile(address);
      const { width, height } = await createImageBitmap(file);
      shown = URL.createObjectURL(file);
      if (current) setRead({ file, shown, image: { width, height } });
    };
    load().catch(() => current && setFault(true));
    return () => {
      current = false;
      if (shown) URL.revokeObjectURL(shown);
    };
  }, [address]);
  return { ...read, shown: read?.shown ?? '', fault };
}

type StageProps = { shown: string; image: Size; box: Box; shape: number | undefined; onBox(box: Box): void };

/** The image with the box over it. The numbers below do the same without dragging. */
function Stage({ shown, image, box, shape, onBox }: StageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const start = useRef<{ grip: Grip; box: Box; x: number; y: number }>(undefined);
  const grab = (grip: Grip) => (event: PointerEvent<HTMLDivElement>) => {
    event.preventDefault();
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { grip, box, x: event.clientX, y: event.clientY };
  };
  const move = (event: PointerEvent) => {
    if (!start.current || !stage.current) return;
    const scale = image.width / stage.current.clientWidth;
    const by = { x: (event.clientX - start.current.x) * scale, y: (event.clientY - start.current.y) * scale };
    onBox(dragged(start.current.box, start.current.grip, by, image, shape));
  };
  const end = () => {
    start.current = undefined;
  };
  const share = (length: number, whole: number) => `${(length / whole) * 100}%`;
  return (
    <div className={classes.ground}>
      <div ref={stage} className={classes.stage} aria-hidden>
        <img src={shown} alt="" className={classes.image} draggable={false} />
        <div
          className={classes.box}
          data-grip="box"
          style={{
            left: share(box.x, image.width),
            top: share(box.y, image.height),
            width: share(box.width, image.width),
            height: share(box.height, image.height),
          }}
          onPointerDown={grab('box')}
          onPointerMove={move}
          onPointerUp={end}
          onPointerCancel={end}
        >
          {grips.map((grip) => (
            <div key={grip} data-grip={grip} className={classes.grip} onPointerDown={grab(grip)} />
          ))}
        </div>
      </div>
    </div>
  );
}

function Numbers({ image, box, onBox }: { image: Size; box: Box; onBox(box: Box): void }) {
  const t = useText('composer');
  const id = useId();
  const field = (name: keyof Box, max: number) => (
    <NumberInput
      id={`${id}${name}`}
      label={t(`crop.${name}`)}
      suffix=" px"
      min={name === 'x' || name === 'y' ? 0 : 1}
      max={max}
      clampBehavior="strict"
      allowDecimal={false}
      value={box[name]}
      onChange={(value) => typeof value === 'number' && value !== box[name] && onBox({ ...box, [name]: value })}
    />
  );
  return (
    <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm">
      {field('x', image.width - box.width)}
      {field('y', image.height - box.height)}
      {field('width', image.width - box.x)}
      {field('height', image.height - box.y)}
    </SimpleGrid>
  );
}
