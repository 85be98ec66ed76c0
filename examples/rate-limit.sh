#!/usr/bin/env bash
# A consumer that may call twice a day, and its third call; then without the limit.
set -euo pipefail
. "$(dirname "$0")/call.sh"

consumer=$(call /consumer/create '{"name": "Acme", "rateLimit": {"limit": 2, "window": 86400}}' | pick consumerId)
key=$(call /key/create "{\"consumerId\": \"$consumer\"}" | pick key)
for code in VALID VALID RATE_LIMITED; do call /key/validate "{\"key\": \"$key\"}" | grep "\"code\":\"$code\""; done
call /consumer/update "{\"consumerId\": \"$consumer\", \"rateLimit\": null}" >/dev/null
call /key/validate "{\"key\": \"$key\"}" | grep '"code":"VALID"'
