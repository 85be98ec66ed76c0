#!/usr/bin/env bash
# A key gets a new value; the old one goes on for a grace, so that whoever holds it can change over. Then it is switched off.
set -euo pipefail
. "$(dirname "$0")/call.sh"

consumer=$(call /consumer/create '{"name": "Acme"}' | pick consumerId)
made=$(call /key/create "{\"consumerId\": \"$consumer\"}")
id=$(pick keyId <<<"$made")
old=$(pick key <<<"$made")
new=$(call /key/rotate "{\"keyId\": \"$id\", \"graceSeconds\": 3600}" | pick key)
for key in "$old" "$new"; do call /key/validate "{\"key\": \"$key\"}" | grep '"code":"VALID"'; done

# Without a grace, all values before it end at once.
newest=$(call /key/rotate "{\"keyId\": \"$id\"}" | pick key)
call /key/validate "{\"key\": \"$new\"}" | grep '"code":"NOT_FOUND"'
call /key/update "{\"keyId\": \"$id\", \"enabled\": false}" >/dev/null
call /key/validate "{\"key\": \"$newest\"}"
