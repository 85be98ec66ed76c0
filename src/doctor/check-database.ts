import type { Db } from "mongodb";
import { compareVersions, OLDEST_SERIES } from "../mongod/mongod-version.ts";
import { judgeDisk } from "./check-host.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** The last series that MongoDB no longer maintains. */
const UNMAINTAINED_SERIES = "6.0";
const SKEW_GOOD_MS = 2_000;
const SKEW_MAX_MS = 60_000;
const MAJORITY_MAX_MS = 3_000;
const MEMBERS_GOOD = 3;

/** @param isEmbedded whether it is the service's own, of which one member and an old version are expected */
export async function checkDatabase(db: Db, isEmbedded: boolean): Promise<Finding[]> {
  const { version } = await db.admin().buildInfo();
  return [
    judgeVersion(String(version), isEmbedded),
    await checkReplicaSet(db, isEmbedded),
    await checkMajority(db),
    judgeSkew(await clockSkewMs(db)),
    await checkDatabaseDisk(db),
  ];
}

export function judgeVersion(version: string, isEmbedded: boolean): Finding {
  const check = "MongoDB";
  if (compareVersions(version, OLDEST_SERIES) < 0) {
    return problem(check, `version ${version} is too old`, `Upgrade it to ${OLDEST_SERIES} or newer.`);
  }
  if (!isEmbedded && version.startsWith(`${UNMAINTAINED_SERIES}.`)) {
    return warning(check, `version ${version} is no longer maintained`, "Upgrade it to a maintained version.");
  }
  return ok(check, `version ${version}${isEmbedded ? ", embedded" : ""}`);
}

async function checkReplicaSet(db: Db, isEmbedded: boolean): Promise<Finding> {
  const check = "replica set";
  const { setName, hosts, msg } = await db.command({ hello: 1 });
  if (msg === "isdbgrid") {
    const remedy = "Read docs/scaling.md, or use a replica set.";
    return warning(check, "a sharded cluster, on which not everything is as promised", remedy);
  }
  if (setName === undefined) {
    const remedy = "Start mongod with --replSet and run rs.initiate(): a standalone server has no transactions.";
    return problem(check, "the database is a standalone server", remedy);
  }
  const members: number = hosts.length;
  if (isEmbedded || members >= MEMBERS_GOOD) return ok(check, `${setName}, ${members} members with data`);
  const remedy = "Add members until there are three: fewer cannot lose one and go on.";
  return warning(check, `${setName} has ${members} members with data`, remedy);
}

/** Writes a document as the service does, and removes it. */
async function checkMajority(db: Db): Promise<Finding> {
  const check = "majority writes";
  const notes = db.collection<{ _id: string }>("settings", {
    writeConcern: { w: "majority", wtimeoutMS: MAJORITY_MAX_MS },
  });
  const startMs = performance.now();
  try {
    // Served by _id.
    await notes.updateOne({ _id: "doctor" }, { $currentDate: { at: true } }, { upsert: true });
    const tookMs = Math.round(performance.now() - startMs);
    await notes.deleteOne({ _id: "doctor" });
    return ok(check, `acknowledged in ${tookMs} ms`);
  } catch (error) {
    const remedy = "Look at rs.status(): more than half of the members must be up, and the user must have readWrite.";
    return problem(check, error instanceof Error ? error.message : String(error), remedy);
  }
}

/** By how much the database's clock is ahead of this machine's. */
async function clockSkewMs(db: Db): Promise<number> {
  const sentMs = Date.now();
  const { localTime } = await db.command({ hello: 1 });
  return localTime.getTime() - (sentMs + Date.now()) / 2;
}

export function judgeSkew(skewMs: number): Finding {
  const check = "clocks";
  const apartMs = Math.abs(skewMs);
  const message = `the database's clock is ${(apartMs / 1_000).toFixed(1)} s ${skewMs < 0 ? "behind" : "ahead of"} this machine's`;
  const remedy = "Let all machines follow a time server (chrony, systemd-timesyncd): the database's time decides.";
  if (apartMs > SKEW_MAX_MS) return problem(check, message, remedy);
  return apartMs > SKEW_GOOD_MS ? warning(check, message, remedy) : ok(check, message);
}

async function checkDatabaseDisk(db: Db): Promise<Finding> {
  const { fsTotalSize, fsUsedSize } = await db.stats();
  const check = "disk of the database";
  // Not every kind of server says.
  if (typeof fsTotalSize !== "number" || typeof fsUsedSize !== "number") return ok(check, "not told");
  return judgeDisk(check, fsTotalSize - fsUsedSize, fsTotalSize);
}
