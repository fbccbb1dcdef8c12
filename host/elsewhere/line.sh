# The line: the host's hand on the other side. It takes one order a line, answers each, and when its input ends, however that
# came about, or when it is silent for too long, ends all processes that have the mark. It has no quotation mark of the other
# kind and no backslash, so that every shell can be given it in one word.
#
# $1 the mark; $2 seconds of silence that end it, 0: none
umask 077
trap "" HUP INT TERM PIPE
mark=$1
quiet=$2
dir=$(mktemp -d "${TMPDIR:-/tmp}/nvim-acp-line-XXXXXX") || exit 1

pause() { sleep 0.1 2>/dev/null || sleep 1; }

# processes whose environment has a mark: /proc/PID/environ
marked() {
  grep -lF "NVIM_ACP_RUN=$1" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r a b pid c; do echo "$pid"; done
}

# the start of a process that has not ended, by which it is known from another of its number
began() { sed -n "s/.*) [^ZX] //p" "/proc/$1/stat" 2>/dev/null | cut -d" " -f19; }

# the groups of commands that were started here and still run
groups() {
  for file in "$dir"/*.pid; do
    [ -e "$file" ] || continue
    read -r name pid start <"$file"
    case $name in "$1"*) [ -n "$start" ] && [ "$(began "$pid")" = "$start" ] && echo "-$pid" ;; esac
  done
}

send() { for target in $2; do kill -s "$1" -- "$target" 2>/dev/null; done; }

sweep() {
  left="$(groups "$1") $(marked "$1")"
  send TERM "$left"
  send CONT "$left"
  i=0
  while [ $i -lt 10 ] && [ -n "$(marked "$1")$(groups "$1")" ]; do
    pause
    i=$((i + 1))
  done
  i=0
  while left="$(groups "$1") $(marked "$1")" && [ "$left" != " " ] && [ $i -lt 20 ]; do
    send KILL "$left"
    pause
    i=$((i + 1))
  done
}

finish() {
  sweep "$mark"
  rm -rf "$dir"
}

# ends this shell if no order has come for too long; USR1 ends it
watch() {
  trap wake USR1
  while :; do
    rm -f "$dir/beat"
    sleep "$quiet" &
    nap=$!
    wait $nap
    [ -e "$dir/beat" ] || break
  done
  finish
  kill -s KILL "$1"
}
wake() {
  kill -s KILL "$nap"
  exit 0
}

# lines that were killed have left their folders: those of this user in this namespace of processes, whose shell is gone
space=$(readlink /proc/self/ns/pid)
for old in "${TMPDIR:-/tmp}"/nvim-acp-line-*; do
  [ -O "$old" ] && [ ! -L "$old" ] && [ -e "$old/line" ] || continue
  read -r where pid start <"$old/line"
  [ "$where" = "$space" ] && [ -n "$start" ] && [ "$(began "$pid")" != "$start" ] && rm -rf "$old"
done
echo "$space $$ $(began $$)" >"$dir/new" && mv "$dir/new" "$dir/line"

echo "nvim-acp-line $dir"
watcher=
if [ "$quiet" -gt 0 ]; then
  watch $$ </dev/null >/dev/null 2>&1 &
  watcher=$!
fi
while IFS=" " read -r order name text; do
  [ "$quiet" -gt 0 ] && : >"$dir/beat"
  case $order in
  put) printf "%b" "$text" >"$dir/$name" && echo "ok" || echo "failed" ;;
  end)
    sweep "$name" </dev/null >/dev/null 2>&1 &
    echo "ok"
    ;;
  *) echo "ok" ;;
  esac
done
[ -n "$watcher" ] && kill -s USR1 "$watcher" 2>/dev/null
finish
