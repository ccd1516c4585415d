// Methods as React hooks: useMethod reads and keeps the answer, useMutate changes something and then has everything
// read again that the change may have touched.
import { keepPreviousData, QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiFault, call } from './call.ts';
import type { MethodName, ParamsOf, PlainMethodName, ResultOf } from './types.ts';

type Options = {
  /** False while it cannot be asked yet. */
  enabled?: boolean;
  /** Asked again every so many milliseconds while it is shown. */
  refetchInterval?: number | false;
  /** While other parameters are being asked for, the answer to the ones before stays in place. */
  keep?: boolean;
};

/**
 * The answer of a method that reads. `data` is undefined until it is there; `error` is an ApiFault.
 * Parameters may be left out only where the method needs none.
 */
export function useMethod<N extends MethodName>(
  name: N,
  ...[params, options]: N extends PlainMethodName
    ? [params?: ParamsOf<N>, options?: Options]
    : [params: ParamsOf<N>, options?: Options]
) {
  const { keep, ...rest }: Options = options ?? {};
  return useQuery<ResultOf<N>, ApiFault>({
    queryKey: queryKey(name, params),
    queryFn: () => call(name as PlainMethodName, (params ?? {}) as never) as Promise<ResultOf<N>>,
    ...rest,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  });
}

/**
 * A method that changes something: `mutateAsync(params)` or `mutate(params, { onSuccess, onError })`.
 * What belongs to the same group of methods is read again afterwards. @param touches further groups
 */
export function useMutate<N extends MethodName>(name: N, touches: readonly Group[] = []) {
  const client = useQueryClient();
  return useMutation<ResultOf<N>, ApiFault, ParamsOf<N>>({
    mutationFn: (params) => call(name as PlainMethodName, params as never) as Promise<ResultOf<N>>,
    onSuccess: () => invalidate(client, [groupOf(name), ...touches]),
  });
}

/** The first word of a method's name: campaignCreate and campaigns are of the group `campaign`. */
export type Group = string;

export function groupOf(name: string): Group {
  const word = /^[a-z]+/.exec(name)?.[0] ?? name;
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

/** Has every answer of these groups read again where it is shown, and forgotten where it is not. */
export function invalidate(client: QueryClient, groups: readonly Group[]) {
  return client.invalidateQueries({ predicate: ({ queryKey: [group] }) => groups.includes(group as string) });
}

/** Under which key an answer is kept; for setting it by hand (server-sent progress). */
export const queryKey = (name: MethodName, params: object = {}) => [groupOf(name), name, params] as const;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // A fault is an answer; only a program out of reach is asked again.
        retry: (failures, error) =>
          failures < 3 && error instanceof ApiFault && (error.status === 0 || error.status === 503),
        refetchOnWindowFocus: true,
      },
    },
  });
}
