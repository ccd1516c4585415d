// A dialog, whose frame is loaded when the first one opens.
import type { ModalProps } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';

const Frame = lazy(() => import('./modal-frame.tsx'));

export function Modal(props: ModalProps) {
  const [wanted, setWanted] = useState(props.opened);
  if (props.opened && !wanted) setWanted(true);
  return (
    wanted && (
      <Suspense>
        <Frame {...props} />
      </Suspense>
    )
  );
}
