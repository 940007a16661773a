// Stand-ins for Slurm's commands that run tasks one after the other on this machine, and go wrong as files tell them:
//   refuse  sbatch takes nothing          lose    the first task of the next array never runs
//   hold    tasks wait until it is gone   silent  squeue fails once, and removes it
//   reason  why all of them wait          fail    the first task of the next array is not started and stays held
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "benches/io/files/write_file.hpp"

/// Makes them in FOLDER/bin; what they keep lies in FOLDER: a line for each array in `submissions`, for each scancel in
/// `cancelled`.
class FakeSlurm {
 public:
  explicit FakeSlurm(const std::filesystem::path& folder) : folder_(folder) {
    program("sbatch", R"(#!/bin/bash
cd ")" + folder.string() +
                          R"(" || exit 1
[ ! -e refuse ] || { echo 'sbatch: error: invalid partition specified: short' >&2; exit 1; }
for word; do
  case $word in --array=0-*) last=${word#--array=0-} ;; --output=*) output=${word#--output=} ;; esac
done
echo "$*" >>submissions
job=$(wc -l <submissions)
first=0
[ ! -e lose ] || { rm lose; first=1; }
[ ! -e fail ] || { rm fail; first=1; echo "$job 0 launch failed requeued held" >"held.$job"; }
for ((i = first; i <= last; ++i)); do echo "$job $i None"; done >"queue.$job"
for ((i = first; i <= last; ++i)); do
  while [ -e hold ]; do sleep 0.02; done
  SLURM_ARRAY_TASK_ID=$i sh "$word" >"${output//%a/$i}" 2>&1
  sed -i "/^$job $i None\$/d" "queue.$job"
done </dev/null >/dev/null 2>&1 &
echo "$job"
)");
    program("squeue", R"(#!/bin/bash
cd ")" + folder.string() +
                          R"(" || exit 1
[ ! -e silent ] || { rm silent; echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1; }
reason=$(cat reason 2>/dev/null || echo None)
sed "s/None\$/$reason/" queue.* 2>/dev/null
cat held.* 2>/dev/null
exit 0
)");
    program("scancel", "#!/bin/sh\ncd \"" + folder.string() + "\" && echo \"$*\" >>cancelled && rm held.*\n");
  }

  /// "PATH=...", with them before all others.
  [[nodiscard]] std::string path_variable() const {
    return "PATH=" + (folder_ / "bin").string() + ":" + std::getenv("PATH");
  }
  void tell(const std::string& file, const std::string& text = "") const {
    kernbench::write_file(folder_ / file, text);
  }
  void stop_telling(const std::string& file) const { std::filesystem::remove(folder_ / file); }
  [[nodiscard]] std::string submissions() const { return log("submissions"); }
  [[nodiscard]] std::string cancelled() const { return log("cancelled"); }

 private:
  [[nodiscard]] std::string log(const std::string& name) const {
    const std::filesystem::path file = folder_ / name;
    return std::filesystem::exists(file) ? kernbench::read_file(file) : "";
  }
  void program(const std::string& name, const std::string& text) const {
    kernbench::write_file(folder_ / "bin" / name, text);
    std::filesystem::permissions(folder_ / "bin" / name, std::filesystem::perms::owner_all);
  }

  std::filesystem::path folder_;
};
