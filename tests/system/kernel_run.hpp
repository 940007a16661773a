// Runs one kernel on PEs of one die of the committed machine, with values, in a forked child.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/system/kernel_launch.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/milestone.hpp"

namespace kernbench {

/// What a kernel's ranks note down, in the order in which they do.
class Notes {
 public:
  void add(Picoseconds time) { text_ += std::to_string(time.value) + " "; }
  void add(const std::string& text) { text_ += text + " "; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// "1 20 300 ": how notes of these times read.
inline std::string noted(const std::vector<std::int64_t>& times) {
  Notes notes;
  for (const std::int64_t time : times) notes.add(Picoseconds{time});
  return notes.text();
}

using NotingProgram = std::function<Process(KernelPe, Notes*)>;

/// The notes of `program` on PEs 0 to ranks - 1, or the message of what ends it.
inline std::string notes_of(std::int32_t ranks, const NotingProgram& program, const MachineSpec& machine = one_die(),
                            const std::function<std::string(System&)>& afterwards = {}) {
  try {
    return forked([&] {
      Notes notes;
      System system(machine, {.values = true});
      std::vector<std::int32_t> pes;
      for (std::int32_t rank = 0; rank < ranks; ++rank) pes.push_back(rank);
      KernelLaunch launch(
          "the kernel", [&](KernelPe pe) { return program(pe, &notes); }, pes);
      run_launches(system, {&launch});
      if (afterwards) notes.add(afterwards(system));
      return notes.text();
    });
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace kernbench
