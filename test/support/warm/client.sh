# Shell scripts start this as `setpoint`: `bash client.sh <node> <start.js> <port> <args>`. A shell starts in a fraction of Node's time,
# and does all of this itself: each further program that it started would cost as much again.
# @see test/support/warm/protocol.ts
node=$1 program=$2 port=$3
shift 3
exec 3<>"/dev/tcp/127.0.0.1/$port"
if [[ -f /dev/stdout ]]; then to=file; else to=pipe; fi
printf '%s\0' "$to" "$PWD" "$#" "$@" >&3
if [[ -r /proc/self/environ ]]; then
  mapfile -t -d '' variables </proc/self/environ
  printf '%s\0' "${variables[@]}" >&3
else
  env -0 >&3
fi
printf '\0' >&3
while IFS= read -r line <&3; do
  said=${line#* }
  case ${line%% *} in
    1) printf '%b' "$said" ;;
    2) printf '%b' "$said" >&2 ;;
    code) exit "$said" ;;
    own)
      exec 3>&-
      exec "$node" "$program" "$@"
      ;;
  esac
done
exit 1
