// THE list of background tasks that workers run.

import { purgeCampaign } from './delivery/control.ts';
import { launchCampaign } from './delivery/launch.ts';
import { listMailTasks } from './delivery/list-mail.ts';
import { sendTestMails } from './delivery/test-mail.ts';
import type { AnyTask } from './jobs/tasks.ts';

export const tasks: readonly AnyTask[] = [launchCampaign, purgeCampaign, sendTestMails, ...listMailTasks];
