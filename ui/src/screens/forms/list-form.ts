// The sign-up form of a list, with its texts.
import type { ResultOf } from '../../api/types.ts';
import type { MethodFormState } from '../../parts/form/form.tsx';

export type ListForm = ResultOf<'listForm'>;
export type SettingsForm = MethodFormState<ListForm['settings']>;
