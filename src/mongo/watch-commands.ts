import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent, MongoClient } from "mongodb";

/** Is told of a command when it is sent, in the context of whoever sends it. @returns takes how it ended */
export type CommandObserver = (command: string) => (isOk: boolean) => void;

/**
 * Tells observers of every command of a client that was opened with `monitorCommands`. The driver's own durations are whole
 * milliseconds, which is as long as most commands take: so the observers look at the clock themselves.
 */
export function watchCommands(client: MongoClient, observers: readonly CommandObserver[]): void {
  const underWay = new Map<number, ((isOk: boolean) => void)[]>();
  const end = ({ requestId }: CommandSucceededEvent | CommandFailedEvent, isOk: boolean): void => {
    const ends = underWay.get(requestId);
    underWay.delete(requestId);
    for (const tell of ends ?? []) tell(isOk);
  };
  client.on("commandStarted", ({ requestId, commandName }: CommandStartedEvent) => {
    underWay.set(
      requestId,
      observers.map((observe) => observe(commandName)),
    );
  });
  client.on("commandSucceeded", (event) => end(event, true));
  client.on("commandFailed", (event) => end(event, false));
}
