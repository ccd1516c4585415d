// The frame of a dialog; apart from modal.tsx, so that a screen without an open one does not load it. The focus returns to
// what opened it, also from a dialog that is there only while it is open: the library leaves that one out.
import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';

export default function ModalFrame(props: ModalProps) {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      setTimeout(() => {
        const isFree = document.activeElement === null || document.activeElement === document.body;
        if (isFree && opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
      });
    },
    [opener],
  );
  return <Modal {...props} />;
}
