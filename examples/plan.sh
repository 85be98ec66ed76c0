#!/usr/bin/env bash
# A plan, a consumer that gets it, and a change of the plan for all who hold it.
set -euo pipefail
. "$(dirname "$0")/call.sh"

plan=$(call /plan/create '{
  "name": "Pro",
  "credits": {"limit": 1000, "refill": {"every": "30d", "refillCredit": 1000, "carryover": {"enabled": true, "max": 500}}},
  "rateLimit": {"limit": 100, "window": 60}
}' | pick planId)
consumer=$(call /consumer/create "{\"name\": \"Acme\", \"planId\": \"$plan\"}" | pick consumerId)
call /consumer/details "{\"consumerId\": \"$consumer\"}" | grep -o '"credits":{"limit":1000,.*'

# The plan's credits are replaced as a whole; what the consumer used stays used.
call /plan/update "{
  \"planId\": \"$plan\",
  \"credits\": {\"limit\": 2000, \"refill\": {\"every\": \"30d\", \"refillCredit\": 2000}},
  \"applyToConsumers\": true
}" | grep '"consumersUpdated":1'
call /consumer/details "{\"consumerId\": \"$consumer\"}" | grep -o '"credits":{"limit":2000,.*'
call /consumer/list "{\"planId\": \"$plan\"}" | grep '"filtered":1'
