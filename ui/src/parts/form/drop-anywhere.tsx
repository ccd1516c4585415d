// Takes a file that is dropped anywhere on the screen, and keeps it for the next one if it is wanted there. Always a second
// way: the screen has a button as well.
import { useEffect, useRef, useState } from 'react';
import classes from './drop-zone.module.css';

/** @param text shown over the screen while a file is dragged over it */
export function DropAnywhere({ text, onDrop }: { text: string; onDrop: (file: File) => void }) {
  const [over, setOver] = useState(false);
  const take = useRef(onDrop);
  take.current = onDrop;
  useEffect(() => {
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const drag = (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      // Out of the window, and not from one element to another.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      const [file] = event.dataTransfer?.files ?? [];
      if (!file || event.defaultPrevented) return;
      event.preventDefault();
      take.current(file);
    };
    window.addEventListener('dragover', drag);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', drag);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, []);
  return over ? (
    <div className={classes.anywhere} aria-hidden>
      {text}
    </div>
  ) : null;
}

let held: File | undefined;

/** Keeps a file for the screen that is opened next. */
export function holdFile(file: File): void {
  held = file;
}

/** Returns the kept file once. */
export function takeFile(): File | undefined {
  const file = held;
  held = undefined;
  return file;
}
