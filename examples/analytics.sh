#!/usr/bin/env bash
# Traffic is recorded, and asked about. Sent again, it is not counted again.
set -euo pipefail
. "$(dirname "$0")/call.sh"

api=$(call /api/create '{"name": "Maps"}' | pick apiId)
id="example-$(date +%s)-$RANDOM"
events="{\"events\": [
  {\"requestId\": \"$id-1\", \"apiId\": \"$api\", \"method\": \"GET\", \"path\": \"/v1/maps?zoom=3\", \"statusCode\": 200, \"latencyMs\": 12.5},
  {\"requestId\": \"$id-2\", \"apiId\": \"$api\", \"method\": \"GET\", \"path\": \"/v1/maps\", \"statusCode\": 500, \"latencyMs\": 80}
]}"
call /ingest "$events" | grep '"accepted":2'
call /ingest "$events" | grep '"duplicates":2'

# The log has an event as soon as it is accepted; other answers end at the last two seconds.
call /analytics/logs "{\"source\": \"api_traffic\", \"apiId\": \"$api\", \"statusFilter\": \"error\"}" | grep '"total":1'
sleep 3
call /analytics/stats "{\"source\": \"api_traffic\", \"timeRange\": \"1h\", \"apiId\": \"$api\"}" | grep '"totalRequests":2'
call /analytics/breakdown "{\"source\": \"api_traffic\", \"timeRange\": \"1h\", \"apiId\": \"$api\", \"dimension\": \"statusCode\"}"
