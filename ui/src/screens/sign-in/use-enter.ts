// Goes to a page after signing in, without answers cached for a previous user.
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { applicationPath } from '../../api/base-path.ts';

export function useEnter(to = '/'): () => void {
  const client = useQueryClient();
  const router = useRouter();
  return () => {
    client.clear();
    router.history.push(`${applicationPath}${to}`);
  };
}
