// What a check of `postrider doctor` has found, and how it is shown.

export type Finding = {
  /** What was looked at, such as "disk". */
  check: string;
  state: 'ok' | 'warning' | 'problem';
  /** What was found. */
  text: string;
  /** What to do; '' when there is nothing to do. */
  advice: string;
};

export const ok = (check: string, text: string): Finding => ({ check, state: 'ok', text, advice: '' });
export const warning = (check: string, text: string, advice: string): Finding => ({
  check,
  state: 'warning',
  text,
  advice,
});
export const problem = (check: string, text: string, advice: string): Finding => ({
  check,
  state: 'problem',
  text,
  advice,
});

/** 1 when there is a problem; warnings do not count. */
export const exitCodeOf = (findings: readonly Finding[]): number =>
  findings.some(({ state }) => state === 'problem') ? 1 : 0;

/** Lines for a person. */
export function showFindings(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ check, state, text, advice }) => [
    `${state.padEnd(8)} ${check.padEnd(12)} ${text}`,
    ...(advice === '' ? [] : [`${' '.repeat(22)}→ ${advice}`]),
  ]);
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const counted = (state: 'problem' | 'warning') => `${count(state)} ${state}${count(state) === 1 ? '' : 's'}`;
  return [...lines, '', `${counted('problem')}, ${counted('warning')}, ${count('ok')} ok`].join('\n');
}
