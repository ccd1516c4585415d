// Deleting what a page is about: asks, leaves for the page above, deletes, and says so. Away first, for the page would else
// read what is gone and show that there is no such thing. Who is kept on the page (something is unsaved) deletes nothing.
import { useNavigate, useRouter } from '@tanstack/react-router';
import { confirm } from './confirm/confirm.tsx';
import type { Question } from './confirm/question.ts';
import { toast } from './toast/toast.tsx';

type Removal = {
  question: Omit<Question, 'danger'>;
  /** The page above. */
  backTo: string;
  remove(): Promise<unknown>;
  /** What is said when it is done. */
  done: string;
};

export function useRemoval(): (removal: Removal) => Promise<void> {
  const navigate = useNavigate();
  const router = useRouter();
  return async ({ question, backTo, remove, done }) => {
    if (!(await confirm({ ...question, danger: true }))) return;
    const here = router.state.location.pathname;
    try {
      await navigate({ to: backTo });
      if (router.state.location.pathname === here) return;
      await remove();
      toast.done(done);
    } catch (error) {
      toast.failed(error);
    }
  };
}
