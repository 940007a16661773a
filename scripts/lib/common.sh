# What the scripts share: messages, quiet steps with a log, and the build. Sourced, never run.
# Everything here speaks on stderr: stdout belongs to the program that a script starts.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# quietly LOG WHAT COMMAND...: one line a step; the command's output goes to LOG and is shown only where it fails.
quietly() {
  local log=$1 what=$2 status=0
  shift 2
  mkdir -p "$(dirname "$log")"
  say "$what"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  [ "$status" -eq 0 ] && return
  cat "$log" >&2
  say "error: \"$what\" failed (exit code $status); the same lines are in $log"
  return "$status"
}

# Compilers at a time: one a core, but no more than memory carries (a translation unit takes up to 1.2 GiB).
build_jobs() {
  local cores memory_kib
  cores=$(nproc)
  memory_kib=$(awk '$1 == "MemAvailable:" {print $2}' /proc/meminfo)
  local fit=$((memory_kib / 1258291))
  [ "$fit" -ge 1 ] || fit=1
  echo $((cores < fit ? cores : fit))
}

# Reads ninja's lines. On a terminal they pass on one line; elsewhere only every quarter of the way is told.
show_progress() {
  local what=$1 line done_ total percent quarter=0
  while IFS= read -r line; do
    [[ $line =~ ^@([0-9]+)/([0-9]+)\  ]] || continue
    done_=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    percent=$((100 * done_ / total))
    if [ -t 2 ]; then
      printf '\r\033[K%s: %d of %d' "$what" "$done_" "$total" >&2
    elif [ "$total" -gt 20 ] && [ $((percent / 25)) -gt "$quarter" ]; then
      quarter=$((percent / 25))
      say "$what: $percent %"
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

# build PRESET TARGET...: configures build/PRESET where that was not done, and brings the targets up to date.
# Two builds of one preset wait for each other.
build() {
  local preset=$1 status=0
  shift
  local folder=$root/build/$preset
  local log=$folder/build.log
  mkdir -p "$folder"
  exec 9>"$folder/.lock"
  flock 9
  if [ ! -e "$folder/build.ninja" ]; then
    quietly "$folder/configure.log" "configuring build/$preset" cmake -S "$root" --preset "$preset" || exit 1
  fi
  NINJA_STATUS='@%f/%t ' ninja -C "$folder" -j "$(build_jobs)" "$@" 2>&1 </dev/null |
    tee "$log" | show_progress "building build/$preset" || status=$?
  flock -u 9
  exec 9>&-
  [ "$status" -eq 0 ] && return
  grep -v '^@' "$log" >&2 || true
  die "the build failed; the same lines are in $log"
}

# part_of COUNT: which of COUNT parts the checks of this tree do, from 1: a function of HEAD's tree alone.
part_of() {
  echo $((0x$(git -C "$root" rev-parse 'HEAD^{tree}' | cut -c1-8) % $1 + 1))
}

# in_part PART/COUNT INDEX: whether the thing of that index, from 0, is of that part.
in_part() { [ $(($2 % ${1#*/})) -eq $((${1%/*} - 1)) ]; }
