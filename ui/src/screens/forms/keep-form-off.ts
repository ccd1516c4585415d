// The sign-up form of a list that was made here: off until it is published. The API makes lists whose form is on.
import { call } from '../../api/call.ts';

export const keepFormOff = (id: string) => call('listFormUpdate', { id, options: { enabled: false } });
