# What scripts/check-results and scripts/approve share: which benches there are, and where their results are committed.
# Sourced after common.sh and after the build.

# The data of a bench's results. Figures are committed too, but drawn from these.
result_files="results.json results.csv theory.json theory.csv"
kernbench=$root/build/release/benches/cli/kernbench

# The benches named as arguments; without arguments every registered one that has a theory: others, as kernels of one's
# own, have no committed results.
benches_to_do() {
  if [ $# -gt 0 ]; then
    printf '%s\n' "$@"
    return
  fi
  local listed names
  listed=$("$kernbench" list --json) || die "kernbench list --json failed"
  names=$(awk -F '"' '/^    "name":/ { name = $4 } /^    "theory": true/ { print name }' <<<"$listed")
  [ -n "$names" ] || die "no bench is registered"
  printf '%s\n' "$names"
}

# run_bench BENCH DIR: all points of BENCH, into DIR/BENCH, without what varies from run to run.
run_bench() {
  quietly "$2/$1.log" "running $1" "$kernbench" run --bench "$1" --out "$2" --no-provenance --quiet
}

committed_folder() { echo "$root/benches/${1//-/_}/results"; }
