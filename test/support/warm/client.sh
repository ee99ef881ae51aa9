# Shell scripts start this as `setpoint`: `bash client.sh <node> <start.js> <port> <args>`. A shell starts in a fraction of Node's time.
# @see test/support/warm/protocol.ts
node=$1 program=$2 port=$3
shift 3
exec 3<>"/dev/tcp/127.0.0.1/$port"
{
  if [[ -f /dev/stdout ]]; then printf 'file\0'; else printf 'pipe\0'; fi
  printf '%s\0' "$PWD" "$#" "$@"
  env -0
} | base64 | tr -d '\n' >&3
echo >&3
while read -r what said <&3; do
  case $what in
    1) base64 -d <<<"$said" ;;
    2) base64 -d <<<"$said" >&2 ;;
    code) exit "$said" ;;
    own)
      exec 3>&-
      exec "$node" "$program" "$@"
      ;;
  esac
done
exit 1
