// Runs a GEMM over several PEs with values in a forked child.
#pragma once

#include <numeric>
#include <sstream>
#include <vector>

#include "sim/system/multi_pe_gemm.hpp"
#include "tests/support/forked.hpp"

namespace kernbench {

struct VerifiedRun {
  Picoseconds time;
  Bytes read = 0;  ///< of all PEs
  Bytes sent = 0;
  Bytes written = 0;
};

/// Throws std::runtime_error with the message of what the run threw.
inline VerifiedRun verified_run(const MachineSpec& machine, const MultiPeGemmRequest& request) {
  std::istringstream in(forked([&] {
    const MultiPeResult result = run_multi_pe_gemm(machine, request, {.verify = true});
    VerifiedRun all{.time = result.time};
    for (const PeReport& pe : result.pes) {
      all.read += pe.read;
      all.sent += pe.sent;
      all.written += pe.written;
    }
    std::ostringstream out;
    out << all.time.value << ' ' << all.read << ' ' << all.sent << ' ' << all.written;
    return out.str();
  }));
  VerifiedRun run;
  in >> run.time.value >> run.read >> run.sent >> run.written;
  return run;
}

inline std::vector<std::int32_t> first_pes(std::int32_t count) {
  std::vector<std::int32_t> pes(static_cast<std::size_t>(count));
  std::iota(pes.begin(), pes.end(), 0);
  return pes;
}

}  // namespace kernbench
