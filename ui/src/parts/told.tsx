// What the program tells in English, in the language of the screen.
import { useTold } from '../text/use-text.tsx';

export function Told({ children }: { children: string }) {
  return useTold()(children);
}
