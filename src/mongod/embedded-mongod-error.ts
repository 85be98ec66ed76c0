/** An expected failure of the embedded database; its message is written for the operator: what failed and the ways out. */
export class EmbeddedMongodError extends Error {
  override readonly name = "EmbeddedMongodError";
}
