import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { checkPorts } from "../../src/doctor/check-ports.ts";
import { makeCertificate } from "../harness/certificate.ts";
import { startService, type TestService } from "../harness/service.ts";

/** The settings by which a service's own ports are found again. */
function settingsOf({ app: { port, grpcPort, metricsPort } }: TestService): Record<string, string> {
  const ports = { KEYSVC_PORT: port, KEYSVC_GRPC_PORT: grpcPort, KEYSVC_METRICS_PORT: metricsPort };
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));
}

it("each port of a service is known as ours by what it answers, over TLS and in plain text", async () => {
  const folder = await mkdtemp(join(tmpdir(), "keysvc-ports-"));
  const { cert, key } = makeCertificate(folder, "good", 90);
  for (const tls of [{}, { KEYSVC_TLS_CERT: cert, KEYSVC_TLS_KEY: key }]) {
    const service = await startService({ ...tls, KEYSVC_METRICS_PORT: "0" });
    const settings = settingsOf(service);
    const ours = Object.keys(settings).map((name) => `keysvc serves ${name}`);
    const findings = await checkPorts(readConfig({ ...tls, ...settings }));
    expect(findings.map(({ message }) => message)).toEqual(ours);
    await service.close();
  }
  await rm(folder, { recursive: true });
});

it("another program on any of the ports is a problem, whatever a service of ours has beside it", async () => {
  const service = await startService({ KEYSVC_METRICS_PORT: "0" });
  const other = createServer((_request, response) => response.end("go_goroutines 8\n"));
  await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
  const port = String((other.address() as AddressInfo).port);
  for (const name of ["KEYSVC_PORT", "KEYSVC_GRPC_PORT", "KEYSVC_METRICS_PORT"]) {
    const findings = await checkPorts(readConfig({ ...settingsOf(service), [name]: port }));
    expect(findings.filter(({ state }) => state !== "ok")).toEqual([
      {
        ...{ state: "problem", check: `port ${port}`, message: "another program listens on it" },
        remedy: `Stop that one, or set ${name} to another port.`,
      },
    ]);
  }
  await new Promise((closed) => other.close(closed));
  await service.close();
});
