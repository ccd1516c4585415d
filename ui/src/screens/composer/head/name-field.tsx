// The name of the campaign in the bar, which is changed in place. Only the team sees it.
import { TextInput, Title, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Tagged, useTagless } from '../../../parts/tagged/tagged.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { useDraft } from '../draft.tsx';

export function NameField() {
  const t = useText('composer');
  const { values, change, fault, fixed } = useDraft();
  const tagless = useTagless();
  const [typed, setTyped] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  const hasClosed = useRef(false);
  const isTyping = typed !== undefined;
  // Typing has replaced the button, which gets the focus back.
  useEffect(() => {
    if (isTyping || !hasClosed.current) return;
    hasClosed.current = false;
    button.current?.focus();
  }, [isTyping]);
  const name = values.title || values.subject || t('untitled');
  const end = (keeps: boolean, focus: boolean) => {
    const title = typed?.trim() ?? '';
    if (keeps && title !== '' && title !== tagless(name)) change({ title });
    hasClosed.current = focus;
    setTyped(undefined);
  };
  const problem = fault('title');
  if (isTyping)
    return (
      <>
        <VisuallyHidden component="h1">{typed}</VisuallyHidden>
        <TextInput
          className={classes.nameField}
          aria-label={t('title')}
          name="title"
          value={typed}
          maxLength={1_000}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
          onBlur={() => end(true, false)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== 'Escape') return;
            event.preventDefault();
            event.stopPropagation();
            end(event.key === 'Enter', true);
          }}
          data-autofocus
          autoFocus
        />
      </>
    );
  return (
    <>
      <Title order={1} size="h2" className={classes.oneLine} title={fixed ? tagless(name) : undefined}>
        {fixed ? (
          <Tagged>{name}</Tagged>
        ) : (
          <UnstyledButton
            ref={button}
            className={classes.name}
            title={t('rename')}
            onClick={() => setTyped(tagless(name))}
          >
            <span className={classes.oneLine}>
              <Tagged>{name}</Tagged>
            </span>
            <IconPencil size={16} aria-hidden className={classes.pencil} />
          </UnstyledButton>
        )}
      </Title>
      {problem && (
        <span role="alert" className={classes.bad}>
          {problem}
        </span>
      )}
    </>
  );
}
