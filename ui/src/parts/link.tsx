// Links to screens that look like a text or a button. Their addresses, parameters and search are checked against the routes.
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink, type RegisteredRouter, type ValidateParams, type ValidateSearch } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type Path = keyof RegisteredRouter['routesByPath'];
/** A screen, for a part that is given where its link leads. */
export type Target = {
  [P in Path]: { to: P } & ValidateParams<RegisteredRouter, P> & ValidateSearch<RegisteredRouter, P>;
}[Path];

type Native<P> = P & Omit<ComponentPropsWithRef<'a'>, keyof P>;

export const LinkAnchor = createLink((props: Native<AnchorProps>) => <Anchor {...props} />);
export const LinkButton = createLink((props: Native<ButtonProps>) => <Button component="a" {...props} />);
