/** A stream of the same chunks, at the pace of whoever reads it. `ended` is when it has ended, broken off or been left. */
export function passThrough(
  source: ReadableStream<Uint8Array>,
  look: (chunk: Uint8Array) => void,
): { stream: ReadableStream<Uint8Array>; ended: Promise<void> } {
  const reader = source.getReader();
  let finish: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            finish();
            return controller.close();
          }
          look(value);
          controller.enqueue(value);
        } catch (error) {
          finish();
          controller.error(error);
        }
      },
      cancel(reason) {
        finish();
        return reader.cancel(reason);
      },
    },
    // Nothing is read before somebody asks for it.
    { highWaterMark: 0 },
  );
  return { stream, ended };
}
