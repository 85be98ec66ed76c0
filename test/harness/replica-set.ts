import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { readConfig } from "../../src/config.ts";
import { findMongod } from "../../src/mongod/find-mongod.ts";
import { freePort, waitUntilListening } from "../../src/mongod/port.ts";

const NAME = "faults";
const MEMBERS = 3;
const POLL_MS = 50;
const PRIMARY_TIMEOUT_MS = 60_000;
/** Short, so that a test sees several elections; the usual times are 10 s and 2 s. */
const SETTINGS = { electionTimeoutMillis: 2_000, heartbeatIntervalMillis: 500 };

/** A mongod of the set; its process changes with every start. */
export interface Member {
  port: number;
  dbPath: string;
  child: ChildProcess;
}

/** A replica set of real mongod processes, as in production. */
export interface ReplicaSet {
  members: readonly Member[];
  /** For drivers that follow the primary. */
  uri(database: string): string;
  /** Waits until there is one that a majority has elected. */
  primary(): Promise<Member>;
  /** kill -9, and waits until the process is gone. */
  kill(member: Member): Promise<void>;
  /** Starts a member that was killed, on the data that it had. */
  restart(member: Member): Promise<void>;
  /** SIGSTOP and SIGCONT: members that answer nothing while their connections stay. */
  pause(members: readonly Member[]): void;
  resume(members: readonly Member[]): void;
  /** Kills all members and removes their data. */
  stop(): Promise<void>;
}

export async function startReplicaSet(): Promise<ReplicaSet> {
  const { path } = await findMongod({ ...readConfig({ ...process.env, KEYSVC_MONGODB_URI: "" }), report: () => {} });
  const folder = await mkdtemp(join(tmpdir(), "keysvc-replica-set-"));
  const members: Member[] = [];
  const hosts = () => members.map(({ port }) => `127.0.0.1:${port}`);
  const set: ReplicaSet = {
    members,
    uri: (database) => `mongodb://${hosts().join(",")}/${database}?replicaSet=${NAME}`,
    primary: () => findPrimary(members),
    kill: killMember,
    async restart(member) {
      member.child = await launch(path, member);
    },
    pause: (paused) => signalAll(paused, "SIGSTOP"),
    resume: (paused) => signalAll(paused, "SIGCONT"),
    async stop() {
      await Promise.all(members.map(killMember));
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    for (let index = 0; index < MEMBERS; index++) {
      const place = { port: await freePort(), dbPath: join(folder, String(index)) };
      await mkdir(place.dbPath);
      members.push({ ...place, child: await launch(path, place) });
    }
    await initiate(hosts());
    await set.primary();
    return set;
  } catch (error) {
    await set.stop();
    throw error;
  }
}

async function launch(path: string, { port, dbPath }: Pick<Member, "port" | "dbPath">): Promise<ChildProcess> {
  const child = spawn(
    path,
    [
      ...["--replSet", NAME, "--dbpath", dbPath, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"],
      ...["--logpath", join(dbPath, "mongod.log"), "--logappend", "--quiet"],
      ...["--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "512"],
      ...["--setParameter", "diagnosticDataCollectionEnabled=false"],
    ],
    { stdio: "ignore" },
  );
  const exited = once(child, "exit");
  await waitUntilListening(port, exited);
  if (hasEnded(child)) throw new Error(`a mongod ended at once: see ${join(dbPath, "mongod.log")}`);
  return child;
}

async function initiate(hosts: string[]): Promise<void> {
  const client = await MongoClient.connect(`mongodb://${hosts[0]}/?directConnection=true`);
  try {
    const members = hosts.map((host, _id) => ({ _id, host }));
    await client.db("admin").command({ replSetInitiate: { _id: NAME, members, settings: SETTINGS } });
  } finally {
    await client.close();
  }
}

async function findPrimary(members: readonly Member[]): Promise<Member> {
  const deadlineMs = performance.now() + PRIMARY_TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    for (const member of members) if (!hasEnded(member.child) && (await isElected(member))) return member;
    await sleep(POLL_MS);
  }
  throw new Error("the replica set has no primary");
}

/** Asked for a read of what a majority has, so that one that was voted out and does not know it yet is not taken for it. */
async function isElected({ port }: Member): Promise<boolean> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 500,
    socketTimeoutMS: 1_000,
  });
  try {
    const admin = client.db("admin");
    if ((await admin.command({ hello: 1 })).isWritablePrimary !== true) return false;
    await admin.command({ find: "system.version", limit: 1, readConcern: { level: "linearizable" }, maxTimeMS: 1_000 });
    return true;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

async function killMember({ child }: Member): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

function signalAll(members: readonly Member[], signal: "SIGSTOP" | "SIGCONT"): void {
  for (const { child } of members) if (!hasEnded(child)) child.kill(signal);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
