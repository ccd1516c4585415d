// The frame of a dialog; apart from modal.tsx, so that a screen without an open one does not load it.
export { Modal as default } from '@mantine/core';
