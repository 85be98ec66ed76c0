#!/usr/bin/env bash
# Keys of another service go on: only their SHA-256 hashes are needed, never the keys.
set -euo pipefail
. "$(dirname "$0")/call.sh"

consumer=$(call /consumer/create '{"name": "Acme"}' | pick consumerId)
key="old_$(od -An -tx1 -N16 /dev/urandom | tr -d ' \n')"
hash=$(printf %s "$key" | openssl dgst -sha256 | sed 's/.* //')
call /key/import "{\"consumerId\": \"$consumer\", \"keys\": [{\"sha256\": \"$hash\", \"name\": \"from before\"}]}"
# Every node knows it within 200 ms.
sleep 1
call /key/validate "{\"key\": \"$key\"}" | grep '"code":"VALID"'
