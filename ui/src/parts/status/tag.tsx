// A short fact about a row: its kind, a scope, "optional". Not a state: those are a Status, which has a dot.
import classes from './status.module.css';

export function Tag({ children, title }: { children: string; title?: string }) {
  return (
    <span className={classes.tag} title={title}>
      {children}
    </span>
  );
}
