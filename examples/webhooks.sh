#!/usr/bin/env bash
# A signing secret, a consumer with an address, its events, and one of them sent again. The address is nobody's: the events
# are tried again until they are given up.
set -euo pipefail
. "$(dirname "$0")/call.sh"

# Shown this once; the one before stays valid for a day.
call /webhook/secret/rotate '{}' | grep -o '"secret":"whsec_' >/dev/null
consumer=$(call /consumer/create '{"name": "Acme", "webhookUrl": "https://hooks.example/keysvc"}' | pick consumerId)
call /key/create "{\"consumerId\": \"$consumer\"}" >/dev/null
event=$(call /webhook/deliveries "{\"consumerId\": \"$consumer\", \"type\": \"key.created\"}" | pick eventId)
call /webhook/replay "{\"eventId\": \"$event\"}"

# An address in a private network is refused.
if call /consumer/update "{\"consumerId\": \"$consumer\", \"webhookUrl\": \"http://169.254.169.254/\"}"; then exit 1; fi
