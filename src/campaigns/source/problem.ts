import type { Problem } from './mjml-structure.ts';

/** Why a source has no HTML: where, and the element, tag or text that it is about. */
export type SourceProblem = { problem: Problem['what'] | 'invalid' | 'tag'; line: number; detail: string };
