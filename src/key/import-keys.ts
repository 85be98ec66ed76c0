import type { KeyServiceImportRequest } from "../../gen/keysvc/v1/key_pb.js";
import type { Caller } from "../lib/call.ts";
import { Fault, type FieldError, invalidRequest } from "../lib/fault.ts";
import { bytes } from "../mongo/bytes.ts";
import { actorOf, type Change } from "../mongo/change.ts";
import { type KeyOptions, lockForKeys, tellOfKeys } from "./change-key.ts";
import { checkApis } from "./check-apis.ts";
import { toAudit } from "./convert.ts";
import type { Key } from "./key.ts";
import type { ListKeysOptions } from "./list-keys.ts";
import { type HashedImport, importedKeys } from "./new-key.ts";

type ImportOptions = KeyOptions & Pick<ListKeysOptions, "findGoneConsumers">;

/** Fields at fault that an error names. */
const FIELD_ERRORS_MAX = 100;
const NAMED_MAX = 10;

/**
 * Takes over keys of another service, all of them or none. Throws INVALID_REQUEST when two have one hash, and CONFLICT when
 * the project has a key with one of the hashes already.
 */
export async function importKeys(
  caller: Caller,
  { consumerId, keys: requests }: KeyServiceImportRequest,
  options: ImportOptions,
): Promise<Key[]> {
  const { projectId } = caller;
  const imports = requests.map((request) => {
    const hash = options.keyring.hashImportedKey(projectId, Buffer.from(request.sha256, "hex"));
    return { request, hash };
  });
  checkDuplicates(imports);
  const lists = requests.map(({ allowedApis }, index) => ({ path: `keys[${index}].`, allowedApis }));
  await checkApis(projectId, lists, options.findUnknownApis);
  const work = async (change: Change) => {
    const consumer = await lockForKeys(change, consumerId, imports.length, options);
    await makeRoom(change, imports, options);
    const keys = importedKeys(imports, { projectId, consumerId, nowMs: change.nowMs });
    await options.store.insert(change, keys);
    await tellOfKeys(change, "key.created", consumer, keys, options);
    for (const key of keys) {
      change.record({ action: "key.import", targetId: key._id, before: null, after: toAudit(key) });
    }
    return keys;
  };
  return options.change(actorOf(caller), work, consumerId);
}

function checkDuplicates(imports: readonly HashedImport[]): void {
  const firstIndex = new Map<string, number>();
  const errors: FieldError[] = [];
  for (const [index, { hash }] of imports.entries()) {
    const id = hash.toString("hex");
    const first = firstIndex.get(id);
    if (first === undefined) firstIndex.set(id, index);
    else errors.push({ field: `keys[${index}].sha256`, message: `is the same as that of keys[${first}]` });
  }
  if (errors.length > 0) throw invalidRequest(errors.slice(0, FIELD_ERRORS_MAX));
}

/** Sees to it that no key has one of the hashes: those of consumers that are gone do not exist any more. */
async function makeRoom(
  change: Change,
  imports: readonly HashedImport[],
  { store, findGoneConsumers }: ImportOptions,
): Promise<void> {
  const hashes = imports.map(({ hash }) => hash);
  const gone = await findGoneConsumers(change.actor.projectId, change.nowMs);
  if (gone.length > 0) await store.removeByHash(change, gone, hashes);
  const taken = new Set((await store.findHashes(change, hashes)).map((hash) => bytes(hash).toString("hex")));
  const fields = hashes.flatMap((hash, index) => (taken.has(hash.toString("hex")) ? [`keys[${index}].sha256`] : []));
  if (fields.length === 0) return;
  const more = fields.length > NAMED_MAX ? ` and ${fields.length - NAMED_MAX} more` : "";
  throw new Fault("CONFLICT", `${fields.slice(0, NAMED_MAX).join(", ")}${more}: the project has this key already`);
}
