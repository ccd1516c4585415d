// A web server with TLS on loopback that serves the pages a test sets, and a client of the program that finds it under any
// name: the guard, the certificate and the exchange are real, only the port differs from 443.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createOutbound } from '../../../src/base/outbound/outbound.ts';
import type { Outbound } from '../../../src/base/outbound-client.ts';
import { type Authority, type Certificate, createAuthority, createCertificate } from '../smtp-sink/certificate.ts';
import type { DnsStub } from './dns-stub.ts';

export type Page = { status?: number; type?: string; location?: string; body?: string | Buffer };

export type HttpsPages = {
  outbound: Outbound;
  /** Sets the page of a path; another path is 404. */
  set(path: string, page: Page): void;
  /** The paths that were requested. */
  requests: string[];
  /** Uses a certificate for these names from now on. */
  certify(names: readonly string[], authority?: Authority): void;
  close(): Promise<void>;
};

export async function startHttpsPages(dns: DnsStub, names: readonly string[]): Promise<HttpsPages> {
  const address = '127.0.0.4';
  const authority = createAuthority();
  const pages = new Map<string, Page>();
  const requests: string[] = [];
  const certificateFor = (hosts: readonly string[], by = authority): Certificate => createCertificate(by, hosts);
  const server = createServer(certificateFor(names), (request, response) => {
    requests.push(request.url!);
    const { status = 200, type = 'text/plain', location, body = '' } = pages.get(request.url!) ?? { status: 404 };
    response.writeHead(status, { 'content-type': type, ...(location === undefined ? {} : { location }) }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  for (const name of names) dns.set(name, { A: [address] });
  const client = createOutbound({
    allow: [address],
    nameServers: [dns.server],
    caCertificates: [authority.cert],
    hostsFile: '',
  });
  const outbound: Outbound = {
    ...client,
    fetch: (url, request) => client.fetch(url.replace(/^(https:\/\/[^/:]+)(?=\/)/, `$1:${port}`), request),
  };
  return {
    outbound,
    set: (path, page) => pages.set(path, page),
    requests,
    certify: (hosts, by) => server.setSecureContext(certificateFor(hosts, by)),
    close() {
      client.close();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
