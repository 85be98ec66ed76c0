#!/usr/bin/env bash
# A consumer with credits, a key for it, and validations until the pool does not cover the next.
set -euo pipefail
. "$(dirname "$0")/call.sh"

consumer=$(call /consumer/create '{"name": "Acme", "credits": {"limit": 10}}' | pick consumerId)
key=$(call /key/create "{\"consumerId\": \"$consumer\", \"name\": \"production\"}" | pick key)

call /key/validate "{\"key\": \"$key\", \"credits\": 6}" | grep '"code":"VALID"'
call /key/validate "{\"key\": \"$key\", \"credits\": 6}" | grep '"code":"USAGE_EXCEEDED"'
# Several at once, each with an answer in its place.
call /key/validate/batch "{\"requests\": [{\"key\": \"$key\"}, {\"key\": \"wrong\"}]}"
# The same requestId is charged once.
call /key/validate "{\"key\": \"$key\", \"requestId\": \"order-1\"}"
call /key/validate "{\"key\": \"$key\", \"requestId\": \"order-1\"}" | grep '"remaining":2'
