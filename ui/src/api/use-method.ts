// Methods as React hooks: useMethod reads and caches an answer; useMutate changes something and refetches what the
// change may have affected.
import { keepPreviousData, QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiFault, call } from './call.ts';
import type { MethodName, ParamsOf, PlainMethodName, ResultOf } from './types.ts';

type Options<Answer> = {
  /** False while the parameters are not known yet. */
  enabled?: boolean;
  /** Refetches at this interval while the component is shown, milliseconds; it may depend on the newest answer. */
  refetchInterval?: number | false | ((answer: Answer | undefined) => number | false);
  /** Keeps the previous answer while other parameters are being fetched. */
  keep?: boolean;
};

/**
 * The answer of a method that reads. `data` is undefined until it is loaded; `error` is an ApiFault.
 * Parameters may be left out only where the method needs none.
 */
export function useMethod<N extends MethodName>(
  name: N,
  ...[params, options]: N extends PlainMethodName
    ? [params?: ParamsOf<N>, options?: Options<ResultOf<N>>]
    : [params: ParamsOf<N>, options?: Options<ResultOf<N>>]
) {
  const { keep, refetchInterval, ...rest } = (options ?? {}) as Options<ResultOf<N>>;
  return useQuery<ResultOf<N>, ApiFault>({
    queryKey: queryKey(name, params),
    queryFn: () => call<N>(name, (params ?? {}) as ParamsOf<N>),
    refetchInterval:
      typeof refetchInterval === 'function' ? ({ state }) => refetchInterval(state.data) : refetchInterval,
    ...rest,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  });
}

/**
 * A method that changes something: `mutateAsync(params)` or `mutate(params, { onSuccess, onError })`.
 * Answers of methods of the same group are refetched afterwards. @param touches further groups to refetch
 */
export function useMutate<N extends MethodName>(name: N, touches: readonly Group[] = []) {
  const client = useQueryClient();
  return useMutation<ResultOf<N>, ApiFault, ParamsOf<N>>({
    mutationFn: (params) => call<N>(name, params),
    onSuccess: () =>
      invalidate(client, [groupOf(name), ...(shownAtHome.has(groupOf(name)) ? ['home'] : []), ...touches]),
  });
}

/** The start page shows how far they are, or that they fail. */
const shownAtHome: ReadonlySet<Group> = new Set(['campaign', 'automation', 'recurring', 'webhook']);

/** The first word of a method name: campaignCreate and campaigns belong to the group `campaign`, identities to `identity`. */
export type Group = string;

export function groupOf(name: string): Group {
  const word = /^[a-z]+/.exec(name)?.[0] ?? name;
  return word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/s$/, '');
}

/** Refetches the answers of these groups that are shown, and drops the others. */
export function invalidate(client: QueryClient, groups: readonly Group[]) {
  return client.invalidateQueries({
    predicate: ({ queryKey: [group] }) => typeof group === 'string' && groups.includes(group),
  });
}

/** The cache key of an answer; also used to set one directly (server-sent progress). */
export const queryKey = (name: MethodName, params: object = {}) => [groupOf(name), name, params] as const;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // A fault is an answer; retry only when the server cannot be reached.
        retry: (failures, error) =>
          failures < 3 && error instanceof ApiFault && (error.status === 0 || error.status === 503),
        refetchOnWindowFocus: true,
      },
    },
  });
}
