// THE list of the colours of labels. How each looks in the light and dark themes: ui/src/parts/labels. None is that of a state.
export const labelColours = ['gray', 'violet', 'pink', 'brown', 'olive', 'teal'] as const;

export type LabelColour = (typeof labelColours)[number];
