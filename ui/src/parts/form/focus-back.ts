// Returns the focus to the element that had it, when a component that exists only while open is removed. Dialogs that
// stay mounted do this automatically.
import { useEffect } from 'react';

export function useFocusBack(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      // A new screen may have taken the focus.
      setTimeout(() => {
        if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
      }, 20);
    };
  }, []);
}
