// The design tokens: one neutral scale, one accent, five text sizes, a grid of 4 px, the heights of controls. Everything
// drawn takes its sizes and colours from here. Green, amber, red and blue are states, and nothing else; plots and labels have hues of
// their own (docs/decisions/0048-design-system.md).
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const accent: MantineColorsTuple = [
  '#edf2fd',
  '#dae4fa',
  '#b3c7f4',
  '#89a8ee',
  '#6a8fe8',
  '#4a76de',
  '#2a5bcc',
  '#234eb2',
  '#1e4296',
  '#173372',
];

/** The height of a button beside a field. */
const control = { '--button-height': '32px', '--button-padding-x': '12px' };

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 6 },
  colors: { accent },
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '13px', sm: '14px', md: '16px', lg: '18px', xl: '24px' },
  lineHeights: { xs: '1.4', sm: '1.5', md: '1.5', lg: '1.4', xl: '1.25' },
  spacing: { xs: '4px', sm: '8px', md: '16px', lg: '24px', xl: '40px' },
  radius: { xs: '3px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  defaultRadius: 'sm',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '22px', lineHeight: '1.3' },
      h2: { fontSize: '16px', lineHeight: '1.5' },
      h3: { fontSize: '14px', lineHeight: '1.5' },
      h4: { fontSize: '14px', lineHeight: '1.5' },
    },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  focusRing: 'auto',
  components: {
    Button: {
      // Named, so that base.css finds what the screen is there for: the library marks no button that is filled by default.
      defaultProps: { variant: 'filled' },
      vars: (_theme: unknown, { size }: { size?: string }) => ({
        root: size === undefined || size === 'sm' ? control : {},
      }),
    },
    Tooltip: { defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: true } } },
    Skeleton: { defaultProps: { radius: 'sm' } },
    // Fields beside each other are level, whatever help is below them.
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ['label', 'input', 'error', 'description'] },
      styles: {
        label: { marginBlockEnd: 4 },
        description: { fontSize: 13, paddingBlockStart: 2 },
        error: { fontSize: 13 },
      },
    },
    // Of a group of choices it is what to know before choosing.
    RadioGroup: { defaultProps: { inputWrapperOrder: ['label', 'description', 'input', 'error'] } },
    CheckboxGroup: { defaultProps: { inputWrapperOrder: ['label', 'description', 'input', 'error'] } },
    Text: { defaultProps: { size: 'sm' } },
    // Their <header> would be a landmark of the page, a second one where two dialogs are open.
    ModalHeader: { defaultProps: { role: 'none' } },
    DrawerHeader: { defaultProps: { role: 'none' } },
    Modal: { defaultProps: { centered: true, radius: 'md' }, styles: { title: { fontWeight: 600, fontSize: 16 } } },
    Drawer: { styles: { title: { fontWeight: 600, fontSize: 16 } } },
    // A row of tabs never breaks; on a phone it scrolls.
    Tabs: { styles: { list: { flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }, tab: { flex: 'none' } } },
    Anchor: { defaultProps: { underline: 'hover' } },
  },
});

/** Softer text still has a contrast of 4.5 to its ground (WCAG 2.2, 1.4.3); the library's own has not. */
export const variables: CSSVariablesResolver = () => ({
  variables: { '--content-width': '1200px' },
  light: {
    '--mantine-color-dimmed': '#59626d',
    '--mantine-color-placeholder': '#6b737d',
    '--mantine-color-error': '#c22424',
    '--ground-soft': '#f7f8fa',
    '--line': '#e2e5e9',
    '--disabled-ground': '#eceef1',
    '--disabled-line': '#e2e5e9',
    '--chosen': '#e9ecf0',
    '--tag-ground': '#dbe6ff',
    '--tag-text': '#1b3f8f',
    '--warn-text': '#8a5200',
    '--good-text': '#1a6e3a',
    '--plot-1': '#6b4fc8',
    '--plot-2': '#0d8294',
    '--label-gray': '#6f7782',
    '--label-violet': '#7a5cd6',
    '--label-pink': '#c2418f',
    '--label-brown': '#8d5a3b',
    '--label-olive': '#77811f',
    '--label-teal': '#0d8a8f',
  },
  dark: {
    '--mantine-color-dimmed': '#a7afb9',
    '--mantine-color-placeholder': '#929aa4',
    '--mantine-color-error': '#ff8f8f',
    '--mantine-color-anchor': '#8fb0ff',
    '--mantine-color-body': '#16181c',
    '--mantine-color-default': '#1f2227',
    '--ground-soft': '#1b1e23',
    '--line': '#31363d',
    '--disabled-ground': '#0e1013',
    '--disabled-line': '#24282e',
    '--chosen': '#2a2f36',
    '--tag-ground': '#27375f',
    '--tag-text': '#c8d7ff',
    '--warn-text': '#ffc46b',
    '--good-text': '#7fd99f',
    '--plot-1': '#a592f5',
    '--plot-2': '#3fbccb',
    '--label-gray': '#9aa3ae',
    '--label-violet': '#a592f5',
    '--label-pink': '#e985c0',
    '--label-brown': '#c79676',
    '--label-olive': '#bcc460',
    '--label-teal': '#4cc3c5',
  },
});
