#!/usr/bin/env bash
# The same methods over gRPC and Connect, by buf curl, which learns the schema from the service.
set -euo pipefail
. "$(dirname "$0")/call.sh"

# Read from a file, so that the credential is not among the arguments, which are open to everybody on the machine.
headers=$(mktemp)
trap 'rm -f "$headers"' EXIT
printf 'Authorization: Bearer %s\n' "$KEYSVC_PROJECT_KEY" >"$headers"
method() {
  npx buf curl --http2-prior-knowledge --protocol "${3:-connect}" -H "@$headers" -d "$2" "$KEYSVC_BASE_URL/keysvc.v1.$1"
}
member() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p"; }

consumer=$(method ConsumerService/Create '{"name": "Acme", "credits": {"limit": 10}}' | member consumerId)
key=$(method KeyService/Create "{\"consumerId\": \"$consumer\"}" | member key)
method KeyService/Validate "{\"key\": \"$key\", \"credits\": 4}" grpc | grep '"remaining": *"6"'
method KeyService/Validate "{\"key\": \"$key\", \"credits\": 7}" grpcweb | grep VERDICT_CODE_USAGE_EXCEEDED
