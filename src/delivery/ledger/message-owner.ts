// The hidden campaigns that own single messages: an account has two for each day, so that urgent messages never wait behind
// those of lists. Their titles distinguish them.
import { sql } from '../../db/connect.ts';

const listSuffix = ' list';

/** The title of the owner of a day's messages. @param day YYYY-MM-DD. @param isOfLists confirmations and notices of lists */
export const ownerTitle = (day: string, isOfLists: boolean): string => day + (isOfLists ? listSuffix : '');

/** SQL: whether campaign `p`, an owner of messages, has those that are not of lists. */
export const isUrgentOwner = sql`p.title not like ${`%${listSuffix}`}`;
