// Why a server cannot listen, as an error for the operator that names the settings of its address.
type Address = { host: string; port: number };

/** @param names the settings of the address, such as HOST and PORT */
export function listenProblem(error: unknown, { host, port }: Address, names: Record<keyof Address, string>): Error {
  const code = (error as { code?: string }).code ?? (error as Error).message;
  const problem =
    code === 'EADDRINUSE'
      ? 'is in use'
      : code === 'ENOTFOUND' || code === 'EAI_AGAIN'
        ? 'is not available: the name of the host cannot be resolved'
        : `is not available (${code})`;
  return new Error(`Port ${port} of ${host} ${problem}. Set another ${names.port} (or ${names.host}) and start again.`);
}
