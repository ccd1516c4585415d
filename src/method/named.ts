// Names shapes: a shape with a name is described once, in components.schemas of the OpenAPI description, and is a type of that
// name in the SDKs. For those that several methods use, or that a person would look for.
import type { z } from 'zod';

/** @param name in PascalCase; no two shapes have the same */
export const named = <T extends z.ZodType>(name: string, shape: T): T => shape.meta({ id: name });
