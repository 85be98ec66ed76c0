# Sourced by the examples and by the guides, in bash or zsh:
#   call PATH JSON   posts to the service and prints the answer; fails when it is refused
#   pick FIELD       reads an answer and prints that field of it, which is a text
# The service is found at KEYSVC_BASE_URL. The credential is KEYSVC_PROJECT_KEY, else the one that the service keeps in its
# data folder.
export KEYSVC_BASE_URL="${KEYSVC_BASE_URL:-http://127.0.0.1:8080}"
export KEYSVC_PROJECT_KEY="${KEYSVC_PROJECT_KEY:-$(cat "${KEYSVC_DATA_DIR:-.keysvc}/project-key")}"

# The credential goes through a pipe: the arguments of a process are open to everybody on the machine. curl puts the status on
# a line after the answer, and awk takes it off and fails unless it is 200.
call() {
  printf 'Authorization: Bearer %s\n' "$KEYSVC_PROJECT_KEY" |
    curl -sS -w '\n%{http_code}\n' -H @- -H 'Content-Type: application/json' -d "$2" "$KEYSVC_BASE_URL$1" |
    awk 'NR > 1 { print line } { line = $0 } END { exit line != 200 }'
}

pick() {
  sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}
