// What a screen shows beside the block that is selected: a campaign its comments, a template nothing.
import { createContext, type ReactNode } from 'react';

export const BesideBlock = createContext<(words: string) => ReactNode>(() => null);
