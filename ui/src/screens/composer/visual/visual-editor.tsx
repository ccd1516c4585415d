// The visual editor of a campaign or template: blocks to add, the page itself, and the settings of the selected element.
// Loaded when its tab is opened. A page that it cannot reproduce is not changed before the user agrees.
import {
  ActionIcon,
  Alert,
  Button,
  ColorInput,
  Group,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
  Tooltip,
} from '@mantine/core';
import {
  IconAlertTriangle,
  IconAlignCenter,
  IconAlignLeft,
  IconAlignRight,
  IconArrowBackUp,
  IconArrowDown,
  IconArrowForwardUp,
  IconArrowUp,
  IconColumns2,
  IconCopy,
  IconHeading,
  IconLetterT,
  IconLineDashed,
  IconLink,
  IconPencil,
  IconPhoto,
  IconSpacingVertical,
  IconTags,
  IconTrash,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Component } from 'grapesjs';
import { useEffect, useRef, useState } from 'react';
import { Lines } from '../../../parts/loaded.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { MergeTagMenu } from '../merge-tags.tsx';
import { type ChosenPicture, usePictureDialog } from '../pictures/picture-dialog.tsx';
import { pastedPicture } from '../pictures/picture-file.ts';
import { type BlockName, blockNames, blockRow } from './blocks.ts';
import { addRow, blockOf, isPicture, isText, startVisual, type Visual } from './grapes-editor.ts';
import { lostParts, pageParts } from './page-parts.ts';

const icons: Record<BlockName, TablerIcon> = {
  heading: IconHeading,
  text: IconLetterT,
  picture: IconPhoto,
  button: IconLink,
  columns: IconColumns2,
  line: IconLineDashed,
  space: IconSpacingVertical,
};

type Props = {
  html: string;
  onHtml(html: string): void;
  fixed: boolean;
  /** The warning before the editor reformats a page that was not made with it. */
  rewrites: string;
};

export default function VisualEditor({ html, onHtml, fixed, rewrites }: Props) {
  const t = useText('composer');
  const place = useRef<HTMLDivElement>(null);
  const [visual, setVisual] = useState<Visual>();
  const [lost, setLost] = useState<ReturnType<typeof lostParts>>([]);
  const [agreed, setAgreed] = useState(false);
  const [selected, setSelected] = useState<Component>();
  const [, redraw] = useState(0);
  const written = useRef(html);
  const latestOnHtml = useRef(onHtml);
  latestOnHtml.current = onHtml;
  const { ask, dialog } = usePictureDialog();
  const words = { heading: t('letterHeading'), text: t('sampleText'), button: t('sampleButton'), alt: t('sampleAlt') };
  /** Asks for an image for an element; without an element, a row is added for it. */
  const askPicture = (editor: Visual['editor'], target: Component | undefined, file?: File) =>
    ask({
      file,
      alt: target?.getAttributes()['src'] ? String(target.getAttributes()['alt'] ?? '') : '',
      onChoose: (picture) => {
        const row = target ? undefined : addRow(editor, blockRow('picture', words));
        const place = target ?? (row!.find('img')[0] as Component);
        showPicture(place, picture);
        editor.select(place);
        redraw((count) => count + 1);
      },
    });
  const latestAskPicture = useRef(askPicture);
  latestAskPicture.current = askPicture;

  // Content from elsewhere (a template, an earlier version) restarts the editor.
  const foreign = html !== written.current;
  // biome-ignore lint/correctness/useExhaustiveDependencies: restarted by other content, not by its own changes
  useEffect(() => {
    let current: Visual | undefined;
    let unmounted = false;
    written.current = html;
    setLost(lostParts(pageParts(html).content));
    setAgreed(false);
    startVisual(place.current!, {
      html,
      title: t('visualFrame'),
      onHtml: (next) => {
        written.current = next;
        latestOnHtml.current(next);
      },
      onSelect: (component) => {
        setSelected(component);
        redraw((count) => count + 1);
      },
      onPicture: (target, file) => current && latestAskPicture.current(current.editor, target, file),
    }).then((started) => {
      if (unmounted) return started.destroy();
      current = started;
      setVisual(started);
    });
    return () => {
      unmounted = true;
      current?.destroy();
      setVisual(undefined);
      setSelected(undefined);
    };
  }, [foreign, t]);

  const warns = visual !== undefined && !agreed && (!visual.faithful || lost.length > 0);
  const add = (name: BlockName) => {
    if (!visual) return;
    if (name === 'picture') return askPicture(visual.editor, undefined);
    addRow(visual.editor, blockRow(name, words));
    redraw((count) => count + 1);
  };
  return (
    <Stack gap="sm" className={classes.container}>
      {warns && (
        <Alert variant="outline" color="yellow.8" icon={<IconAlertTriangle aria-hidden />} role="alert">
          <Group justify="space-between" gap="sm">
            <Text maw="70ch">
              {rewrites}
              {lost.length > 0 && ` ${t('visualLoses', { what: lost.map((part) => t(`lost.${part}`)).join(', ') })}`}
            </Text>
            <Button size="xs" variant="default" onClick={() => setAgreed(true)}>
              {t('visualAgree')}
            </Button>
          </Group>
        </Alert>
      )}
      {dialog}
      <div
        className={classes.visual}
        onPaste={(event) => {
          const file = pastedPicture(event.clipboardData);
          if (visual && file) askPicture(visual.editor, selected && isPicture(selected) ? selected : undefined, file);
        }}
        inert={warns || fixed}
      >
        <Stack gap="xs" className={classes.blocks} role="group" aria-label={t('blocks')}>
          {blockNames.map((name) => {
            const Icon = icons[name];
            return (
              <Button
                key={name}
                variant="default"
                size="xs"
                justify="flex-start"
                leftSection={<Icon size={16} aria-hidden />}
                onClick={() => add(name)}
                disabled={!visual}
              >
                {t(`block.${name}`)}
              </Button>
            );
          })}
        </Stack>
        <div className={classes.canvas} aria-busy={visual === undefined}>
          <div ref={place} />
        </div>
        <div className={classes.settings}>
          {!visual ? (
            <Lines />
          ) : (
            <>
              <Group gap="xs" mb="sm">
                <Tool icon={IconArrowBackUp} label={t('undo')} onClick={() => visual.editor.UndoManager.undo()} />
                <Tool icon={IconArrowForwardUp} label={t('redo')} onClick={() => visual.editor.UndoManager.redo()} />
              </Group>
              {selected ? (
                <Settings
                  key={selected.getId()}
                  visual={visual}
                  selected={selected}
                  onPicture={() => askPicture(visual.editor, selected)}
                />
              ) : (
                <Text c="dimmed">{t('chooseSomething')}</Text>
              )}
            </>
          )}
        </div>
      </div>
    </Stack>
  );
}

type ToolProps = { icon: TablerIcon; label: string; onClick(): void };

function Tool({ icon: Icon, label, onClick }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size="md" aria-label={label} onClick={onClick}>
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

/** The settings of the selected element: position, text, link, image and style. */
function Settings({ visual, selected, onPicture }: { visual: Visual; selected: Component; onPicture(): void }) {
  const t = useText('composer');
  const { editor } = visual;
  const [, redraw] = useState(0);
  const tag = selected.tagName?.toLowerCase() ?? '';
  const row = blockOf(editor, selected) ?? selected;
  const style = selected.getStyle() as Record<string, string>;
  const attributes = selected.getAttributes() as Record<string, string>;
  const setStyle = (name: string, value: string) => {
    if (value === '') selected.removeStyle(name);
    else selected.addStyle({ [name]: value });
    redraw((count) => count + 1);
  };
  const setAttribute = (name: string, value: string) => {
    selected.addAttributes({ [name]: value });
    redraw((count) => count + 1);
  };
  const move = (by: number) => {
    const parent = row.parent();
    if (!parent) return;
    const at = row.index() + by;
    if (at < 0 || at >= parent.components().length) return;
    row.move(parent, { at: by > 0 ? at + 1 : at });
    editor.select(selected);
  };
  const remove = () => {
    editor.select();
    row.remove();
  };
  const duplicate = () => row.parent()?.append(row.clone(), { at: row.index() + 1 });
  const parent = selected.parent();
  return (
    <Stack gap="sm">
      <Title order={3}>{t(kindOf(selected))}</Title>
      <Group gap="xs">
        <Tool icon={IconArrowUp} label={t('moveUp')} onClick={() => move(-1)} />
        <Tool icon={IconArrowDown} label={t('moveDown')} onClick={() => move(1)} />
        <Tool icon={IconCopy} label={t('duplicate')} onClick={duplicate} />
        <Tool icon={IconTrash} label={t('remove')} onClick={remove} />
      </Group>
      {isText(selected) && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPencil size={14} aria-hidden />}
            onClick={() => void editText(visual, selected)}
          >
            {t('writeText')}
          </Button>
          <MergeTagMenu links={false} onChoose={(mergeTag) => appendText(selected, mergeTag)}>
            <Button size="xs" variant="default" leftSection={<IconTags size={14} aria-hidden />}>
              {t('insertTag')}
            </Button>
          </MergeTagMenu>
        </Group>
      )}
      {tag === 'a' && (
        <>
          <TextInput
            label={t('linkAddress')}
            value={attributes['href'] ?? ''}
            onChange={(event) => setAttribute('href', event.currentTarget.value)}
          />
          <TextInput
            label={t('linkWords')}
            value={textOf(selected)}
            onChange={(event) => setText(selected, event.currentTarget.value)}
          />
        </>
      )}
      {isPicture(selected) && (
        <>
          <Button size="xs" variant="default" leftSection={<IconPhoto size={14} aria-hidden />} onClick={onPicture}>
            {t('pictureChoose')}
          </Button>
          <TextInput
            label={t('pictureAddress')}
            placeholder="https://"
            value={attributes['src'] ?? ''}
            onChange={(event) => {
              selected.set('src', event.currentTarget.value);
              setAttribute('src', event.currentTarget.value);
            }}
          />
          <TextInput
            label={t('pictureAlt')}
            value={attributes['alt'] ?? ''}
            onChange={(event) => setAttribute('alt', event.currentTarget.value)}
          />
        </>
      )}
      {tag !== 'img' && (
        <>
          <NumberInput
            label={t('textSize')}
            suffix=" px"
            min={8}
            max={72}
            value={Number.parseInt(style['font-size'] ?? '', 10) || ''}
            onChange={(value) => setStyle('font-size', value === '' ? '' : `${value}px`)}
          />
          <ColorInput
            label={t('textColour')}
            value={style['color'] ?? ''}
            onChange={(value) => setStyle('color', value)}
            eyeDropperButtonProps={{ 'aria-label': t('eyeDropper') }}
          />
          <ColorInput
            label={t('ground')}
            value={style['background-color'] ?? ''}
            onChange={(value) => setStyle('background-color', value)}
            eyeDropperButtonProps={{ 'aria-label': t('eyeDropper') }}
          />
          <div>
            <Text component="div" fw={500} id="visual-align">
              {t('align')}
            </Text>
            <SegmentedControl
              aria-labelledby="visual-align"
              value={style['text-align'] ?? attributes['align'] ?? 'left'}
              onChange={(value) => setStyle('text-align', value)}
              data={[
                { value: 'left', label: <IconAlignLeft size={16} aria-label={t('left')} role="img" /> },
                { value: 'center', label: <IconAlignCenter size={16} aria-label={t('center')} role="img" /> },
                { value: 'right', label: <IconAlignRight size={16} aria-label={t('right')} role="img" /> },
              ]}
            />
          </div>
        </>
      )}
      {parent && parent !== editor.getWrapper() && (
        <Button size="xs" variant="subtle" onClick={() => editor.select(parent)}>
          {t('chooseAround')}
        </Button>
      )}
    </Stack>
  );
}

type Kind = 'piece.text' | 'piece.link' | 'piece.picture' | 'piece.table' | 'piece.row' | 'piece.cell' | 'piece.other';

function kindOf(component: Component): Kind {
  const tag = component.tagName?.toLowerCase() ?? '';
  if (tag === 'a') return 'piece.link';
  if (tag === 'img') return 'piece.picture';
  if (isText(component)) return 'piece.text';
  if (tag === 'table' || tag === 'tbody') return 'piece.table';
  if (tag === 'tr') return 'piece.row';
  return tag === 'td' ? 'piece.cell' : 'piece.other';
}

/** The maximum width of an image, in pixels; smaller images keep their size. */
const maxWidth = 600;

function showPicture(place: Component, { url, alt, width }: ChosenPicture) {
  const shown = Math.min(width, maxWidth);
  place.set('src', url);
  place.addAttributes({ src: url, alt, width: String(shown) });
  place.addStyle({ 'max-width': `${shown}px` });
}

/** Starts text editing in the frame, with the cursor at the end. */
async function editText({ editor }: Visual, selected: Component) {
  editor.select(selected);
  const view = selected.getView() as { onActive?(event: Event): Promise<void> | void } | undefined;
  await view?.onActive?.(new MouseEvent('dblclick'));
  const element = selected.getEl();
  if (!element) return;
  editor.Canvas.getFrameEl().focus();
  element.focus();
  const selection = element.ownerDocument.getSelection();
  selection?.selectAllChildren(element);
  selection?.collapseToEnd();
}

/** Appends a merge tag to the text. */
function appendText(selected: Component, tag: string) {
  selected.components(`${selected.getInnerHTML()} ${tag}`);
}

const textOf = (selected: Component) =>
  new DOMParser().parseFromString(selected.getInnerHTML(), 'text/html').body.textContent ?? '';

function setText(selected: Component, words: string) {
  selected.components([
    {
      type: 'textnode',
      content: words.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]!),
    },
  ]);
}
