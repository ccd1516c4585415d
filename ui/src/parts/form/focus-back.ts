// Gives the focus back to what had it, when something that is only there while it is open goes away. Dialogs that stay
// and are told to open and close do this by themselves.
import { useEffect } from 'react';

export function useFocusBack(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      // A new screen may have taken the focus to itself meanwhile.
      setTimeout(() => {
        if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
      }, 20);
    };
  }, []);
}
