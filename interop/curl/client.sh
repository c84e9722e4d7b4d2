#!/bin/sh
# client.sh URL: sends "hello" to the agent with curl, and asks for its task until that is over. Ends with 0 when the agent
# did what was asked. All that is read of an answer is read with grep and sed.
set -u

case "$PARLEY_INTENT" in
*'"do":"send"'*) ;;
*) echo '{"outcome":"unsupported"}' && exit 1 ;;
esac
# Extensions, parts and credentials cannot be told to it.
case "$PARLEY_INTENT" in
*'"parts"'* | *'"credentials"'* | *'"extensions"'*) echo '{"outcome":"unsupported"}' && exit 1 ;;
esac

call() { # URL METHOD PARAMS
  curl --silent --show-error --fail --max-time 8 "$1" \
    --header 'Content-Type: application/json' --header 'A2A-Version: 1.0' \
    --data "{\"jsonrpc\":\"2.0\",\"id\":\"$(unique)\",\"method\":\"$2\",\"params\":$3}"
}
unique() { cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen; }
found() { printf %s "$2" | tr -d '\n' | grep -o "\"$1\": *\"[^\"]*\"" | head -1 | sed 's/.*: *"\(.*\)"/\1/'; }

card=$(curl --silent --show-error --fail --location --max-time 8 "${1%/}/.well-known/agent-card.json") || exit 1
# It knows no extension that could be required.
printf %s "$card" | grep -q '"required": *true' && exit 1
# The first interface that speaks JSON-RPC of 1.0.
entry=$(printf %s "$card" | tr -d '\n' | sed 's/.*"supportedInterfaces": *\[//' | tr '}' '\n' |
  grep '"protocolBinding": *"JSONRPC"' | grep '"protocolVersion": *"1\.0"' | head -1)
url=$(found url "$entry")
tenant=$(found tenant "$entry")
[ -n "$url" ] || exit 1

message="{\"messageId\":\"$(unique)\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"hello\"}]}"
answer=$(call "$url" SendMessage "{${tenant:+\"tenant\":\"$tenant\",}\"message\":$message}") || exit 1
for _ in 1 2 3 4 5 6 7 8; do
  state=$(found state "$answer")
  case "$state" in
  TASK_STATE_COMPLETED | TASK_STATE_INPUT_REQUIRED | TASK_STATE_AUTH_REQUIRED) exit 0 ;;
  TASK_STATE_WORKING | TASK_STATE_SUBMITTED) ;;
  *) break ;;
  esac
  sleep 0.1
  answer=$(call "$url" GetTask "{${tenant:+\"tenant\":\"$tenant\",}\"id\":\"$(found id "$(printf %s "$answer" | sed 's/.*"\(task\|result\)": *{//')")\"}") || exit 1
done
case "$answer" in
*'"message":{'*'"parts"'*) [ -z "$state" ] && exit 0 ;;
esac
exit 1
