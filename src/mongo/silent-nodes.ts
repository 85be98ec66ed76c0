/** What a node was last seen to have written. */
export interface Sighting {
  nodeId: string;
  /** Of any clock: only whether it is another than before counts. */
  seenAtMs: number;
}

/** A node that writes nothing for so long is taken for dead, or for paused. */
const SILENT_MAX_MS = 1_000;
/** What one look adds at most: while the database stands still nobody is seen, and that says nothing of the nodes. */
const LOOK_MAX_MS = 500;

/** Finds the nodes that have fallen silent, by what this node itself has seen of them: neither clocks nor elections decide it. */
export class SilentNodes {
  #nodes = new Map<string, { seenAtMs: number; silentMs: number }>();
  #lookedMs = Number.NEGATIVE_INFINITY;

  /**
   * Takes what was seen now of all other nodes, and answers those that are silent.
   *
   * @param nowMs on a clock that only goes forward
   */
  look(sightings: readonly Sighting[], nowMs: number): string[] {
    const passedMs = Math.min(nowMs - this.#lookedMs, LOOK_MAX_MS);
    const before = this.#nodes;
    this.#lookedMs = nowMs;
    this.#nodes = new Map(
      sightings.map(({ nodeId, seenAtMs }) => {
        const known = before.get(nodeId);
        const silentMs = known?.seenAtMs === seenAtMs ? known.silentMs + passedMs : 0;
        return [nodeId, { seenAtMs, silentMs }];
      }),
    );
    return [...this.#nodes].flatMap(([nodeId, { silentMs }]) => (silentMs >= SILENT_MAX_MS ? nodeId : []));
  }
}
