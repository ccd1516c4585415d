// THE list of background tasks: name, payload, how often it is tried, and when it runs by itself.
// Every task may run twice: a worker that dies in the middle is followed by another.
import type { z } from 'zod';
import type { App } from '../base/context.ts';
import type { Log } from '../base/log.ts';

export type TaskContext = { app: App; log: Log; attempt: number; signal: AbortSignal };

export type Task<P extends z.ZodType = z.ZodType> = {
  name: string;
  /** What the task is for, one sentence. */
  summary: string;
  payload: P;
  /** Tries at most; between them the pause grows exponentially. */
  attempts: number;
  /** When it runs by itself, as a crontab line without the name. Payload is then {}. */
  cron?: string;
  run(context: TaskContext, payload: z.output<P>): Promise<void>;
};

/** Declares a task; exists so that the payload's type is inferred. */
export function task<P extends z.ZodType>(definition: Task<P>): Task<P> {
  return definition;
}

/** A task of any payload, as the runner holds them. */
// biome-ignore lint/suspicious/noExplicitAny: the list is where the shapes of all tasks meet
export type AnyTask = Task<any>;

/** The tasks that are enqueued by name, from a part of the program that must not import theirs. */
export type TaskName =
  | 'launchCampaign'
  | 'purgeCampaign'
  | 'addStarterTemplates'
  | 'drawPreview'
  | 'sendTestMails'
  | 'sendConfirmation'
  | 'sendWelcome'
  | 'sendGoodbye'
  | 'sendUnsubscribeNotice'
  | 'sendAccountNotice'
  | 'sendSignInLink';
