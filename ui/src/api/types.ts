// The parameters and results of all methods, inferred from the server's registry. Types only, so no server code gets
// into the bundle. A wrong method name or parameter type does not compile.
import type { z } from 'zod';
import type { ListedMethod } from '../../../src/doors/registry.ts';

export type MethodName = ListedMethod['name'];

/** To look a method up is cheaper for the compiler than to compare all with a name. */
type ByName = { [M in ListedMethod as M['name']]: M };
type Named<N extends MethodName> = ByName[N];

/** The parameters of a method, as an object; parameters with a default are optional. */
export type ParamsOf<N extends MethodName> = Given<Named<N>['params']>;
export type ResultOf<N extends MethodName> = z.output<Named<N>['returns']>;

/** Methods that can be called without any parameter. */
export type PlainMethodName = {
  [N in MethodName]: Nothing extends ParamsOf<N> ? N : never;
}[MethodName];

type Nothing = { [K in never]: never };

/** The input of a schema, without its coercions (meant for clients of all kinds): a number must be a number. */
type Given<S> =
  S extends z.ZodObject<infer Shape>
    ? Flat<
        { [K in keyof Shape as MayLack<Shape[K]> extends true ? never : K]: Given<Shape[K]> } & {
          [K in keyof Shape as MayLack<Shape[K]> extends true ? K : never]?: Given<Shape[K]> | undefined;
        }
      >
    : S extends z.ZodOptional<infer Inner> | z.ZodDefault<infer Inner> | z.ZodNullable<infer Inner>
      ? Given<Inner>
      : S extends z.ZodArray<infer Item>
        ? Given<Item>[]
        : S extends z.ZodPipe<infer In, infer Out>
          ? In extends z.core.$ZodTransform
            ? Given<Out>
            : Given<In>
          : S extends z.ZodType
            ? Exclude<z.output<S>, Uint8Array>
            : unknown;

type MayLack<S> = S extends { _zod: { optin: infer O } }
  ? undefined extends O
    ? false
    : O extends 'optional' | 'defaulted'
      ? true
      : false
  : false;
type Flat<T> = { [K in keyof T]: T[K] };
