#!/usr/bin/env bash
# A credential that may only validate, which is rotated with a grace and then revoked.
set -euo pipefail
. "$(dirname "$0")/call.sh"

made=$(call /project/credential/create '{"name": "gateway", "scopes": ["validate"]}')
id=$(pick credentialId <<<"$made")
gateway() { KEYSVC_PROJECT_KEY=$1 call /key/validate '{"key": "wrong", "credits": 0}'; }
old=$(pick projectKey <<<"$made")
gateway "$old" | grep '"code":"NOT_FOUND"'
if KEYSVC_PROJECT_KEY=$old call /consumer/list '{}'; then exit 1; fi

new=$(call /project/credential/rotate "{\"credentialId\": \"$id\", \"graceSeconds\": 3600}" | pick projectKey)
gateway "$old" >/dev/null
gateway "$new" >/dev/null
call /project/credential/revoke "{\"credentialId\": \"$id\"}"
# Every node knows it within 200 ms.
sleep 1
if gateway "$new"; then exit 1; fi
