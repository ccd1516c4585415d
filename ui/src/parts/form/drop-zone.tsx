// A zone to drop files on. Always a second way: its content has a button for people who do not drag.
import { type ReactNode, useState } from 'react';
import classes from './drop-zone.module.css';

export function DropZone({ onDrop, children }: { onDrop: (dropped: DataTransfer) => void; children: ReactNode }) {
  const [over, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button within is the first
    <div
      className={classes.zone}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onDrop(event.dataTransfer);
      }}
    >
      {children}
    </div>
  );
}
