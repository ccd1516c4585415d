// The `start` and `limit` parameters of every method that returns a page of a longer result.
import { integer } from './params.ts';

/** @param limit results per page when the caller gives none */
export const paging = (limit: number, maxLimit: number) => ({
  start: integer('Page number, from 0.', 0, 1_000_000, { fault: 'START_OUT_OF_RANGE' }).default(0),
  limit: integer(`Results per page, at most ${maxLimit}.`, 1, maxLimit, { fault: 'LIMIT_OUT_OF_RANGE' }).default(limit),
});

export type Page = { start: number; limit: number };
