// Records every TCP connection that this process tries to make, at the socket itself, whatever library opens it. A test
// that claims that no connection was made checks it here, not by a return value.
import { Socket } from 'node:net';

export type SocketWatch = { attempts: { host: string; port: number }[]; stop(): void };

export function watchSockets(): SocketWatch {
  const attempts: { host: string; port: number }[] = [];
  const original = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    // net.connect passes its normalised arguments as one array: [options, callback].
    const first = Array.isArray(args[0]) ? args[0][0] : args[0];
    const options = typeof first === 'object' && first !== null ? first : { port: first, host: args[1] };
    attempts.push({ host: String(options.host ?? 'localhost'), port: Number(options.port) });
    return Reflect.apply(original, this, args);
  } as typeof original;
  return {
    attempts,
    stop() {
      Socket.prototype.connect = original;
    },
  };
}
