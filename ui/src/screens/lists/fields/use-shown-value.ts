// The value of a field as a table or page of a contact shows it.
import { useCallback } from 'react';
import { useText } from '../../../text/use-text.tsx';
import { shownValue } from './choices.ts';

export function useShownValue(): (field: { field_type: string } | undefined, stored: string | undefined) => string {
  const t = useText('lists');
  return useCallback(
    (field, stored) => shownValue(field?.field_type, stored ?? '', { yes: t('valueYes'), no: t('valueNo') }),
    [t],
  );
}
