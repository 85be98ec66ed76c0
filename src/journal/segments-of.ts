import { splitBySize } from "../lib/split-by-size.ts";
import { buildSegment } from "../segments/build-segment.ts";
import { packSegment } from "../segments/packed-segment.ts";
import { hourOf, type SegmentEvent, type Source } from "../segments/segment.ts";
import { type StoredSegment, toStored } from "../segments/store.ts";
import type { EventDocument } from "./drain-batch.ts";

/** Characters of the events of a segment, more or less. */
const TEXT_MAX = 1_500_000;

/** What analytics keep of events of a dataset: a segment for each project and hour, or several where it would be too large. */
export function segmentsOf(source: Source, documents: readonly EventDocument[]): StoredSegment[] {
  const groups = Map.groupBy(documents, ({ projectId, at }) => `${projectId} ${hourOf(at.getTime())}`);
  return [...groups.values()].flatMap((group) => {
    const projectId = group[0]?.projectId ?? "";
    return splitBySize(group.map(toSegmentEvent), textLength, TEXT_MAX).map((part) =>
      toStored({ projectId, source }, packSegment(buildSegment(part))),
    );
  });
}

export function toSegmentEvent(document: EventDocument): SegmentEvent {
  const { at, statusCode, latencyMs } = document;
  const { count = 1 } = "count" in document ? document : {};
  const { endpoint = "", method = "", clientIp = "", consumerId = "", consumerName = "", apiId = "" } = document;
  return {
    at: at.getTime(),
    statusCode,
    latencyMs,
    count,
    endpoint,
    method,
    clientIp,
    consumerId,
    consumerName,
    apiId,
  };
}

function textLength({ endpoint, method, clientIp, consumerId, consumerName, apiId }: SegmentEvent): number {
  return endpoint.length + method.length + clientIp.length + consumerId.length + consumerName.length + apiId.length;
}
