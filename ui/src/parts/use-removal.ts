// Deletes the object of a page: asks, goes to the parent page, deletes, and confirms. It leaves first, because the
// page would otherwise refetch the deleted object and show an error. If the user stays (unsaved changes), nothing is
// deleted.
import { useNavigate, useRouter } from '@tanstack/react-router';
import { confirm } from './confirm/confirm.tsx';
import type { Question } from './confirm/question.ts';
import type { Target } from './link.tsx';
import { toast } from './toast/toast.tsx';

type Removal = {
  question: Omit<Question, 'danger'>;
  /** The parent page. */
  backTo: Target['to'];
  remove(): Promise<unknown>;
  /** The confirming toast. */
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
