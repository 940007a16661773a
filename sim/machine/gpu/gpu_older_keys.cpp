#include "sim/machine/gpu/gpu_older_keys.hpp"

#include <array>

namespace kernbench {
namespace {

constexpr std::size_t kNumbers = 13;

struct OlderSection {
  std::array<std::string_view, kNumbers> paths;
  std::array<double& (*)(GpuSpec&), kNumbers> refs{};
  GpuSection section;
};

// NOLINTBEGIN(bugprone-macro-parentheses, cppcoreguidelines-macro-usage): a member's name and a path take none
#define OLDER_REF(family, member) \
  [](GpuSpec & gpu) -> auto& { return gpu.older.of(GpuFamily::family).member; }
#define OLDER(family, name)                   \
  OlderSection {                              \
    {"older." name ".macs",                   \
     "older." name ".share",                  \
     "older." name ".latency",                \
     "older." name ".floor",                  \
     "older." name ".line",                   \
     "older." name ".cta",                    \
     "older." name ".store",                  \
     "older." name ".launch",                 \
     "older." name ".from_hbm",               \
     "older." name ".split_launch",           \
     "older." name ".split_bandwidth",        \
     "older." name ".part",                   \
     "older." name ".energy"},                \
        {OLDER_REF(family, macs),             \
         OLDER_REF(family, share),            \
         OLDER_REF(family, latency),          \
         OLDER_REF(family, floor),            \
         OLDER_REF(family, line),             \
         OLDER_REF(family, cta),              \
         OLDER_REF(family, store),            \
         OLDER_REF(family, launch),           \
         OLDER_REF(family, from_hbm),         \
         OLDER_REF(family, split_launch),     \
         OLDER_REF(family, split_bandwidth),  \
         OLDER_REF(family, part),             \
         OLDER_REF(family, energy)},          \
    {                                         \
      "older." name, OLDER_REF(family, given) \
    }                                         \
  }
// NOLINTEND(bugprone-macro-parentheses, cppcoreguidelines-macro-usage)

const std::array<OlderSection, kGpuOlderFamilies>& older_sections() {
  static const std::array<OlderSection, kGpuOlderFamilies> kSections{OLDER(kOdd, "odd"),
                                                                     OLDER(kEven, "even"),
                                                                     OLDER(kTf32, "tf32"),
                                                                     OLDER(kTf32Wide, "tf32_wide"),
                                                                     OLDER(kTf32Segment, "tf32_segment"),
                                                                     OLDER(kTf32Ragged, "tf32_ragged"),
                                                                     OLDER(kFp32, "fp32"),
                                                                     OLDER(kFp32Vector, "fp32_vector")};
  return kSections;
}

#undef OLDER
#undef OLDER_REF

}  // namespace

void add_older_keys(std::vector<GpuKey>& keys) {
  for (const OlderSection& one : older_sections()) {
    const auto& path = one.paths;
    const auto& ref = one.refs;
    keys.insert(
        keys.end(),
        {{path[0], Dimension::kCount, "1", "1048576", ref[0], "Multiply-accumulates of an SM in a cycle, nominal."},
         {path[1], Dimension::kRatio, "0.001", "1", ref[1], "Share of it that an SM full of CTAs reaches."},
         {path[2], Dimension::kRatio, "0", "1000", ref[2],
          "Cycles that a thread waits for each of its multiply-accumulates."},
         {path[3], Dimension::kRatio, "0", "100000", ref[3], "Cycles that a CTA waits for each element along K."},
         {path[4], Dimension::kTime, "0 ns", "1000 us", ref[4], "An SM gets a line of 128 B of operands so often."},
         {path[5], Dimension::kTime, "0 ns", "1000 us", ref[5], "To begin and end a CTA."},
         {path[6], Dimension::kRatio, "0.001", "100000", ref[6], "Bytes of C that an SM stores in a cycle."},
         {path[7], Dimension::kTime, "0 ns", "1000 us", ref[7], "A kernel inside a CUDA graph."},
         {path[8], Dimension::kTime, "0 ns", "1000 us", ref[8], "The first operands are in HBM, not in the L2."},
         {path[9], Dimension::kTime, "0 ns", "1000 us", ref[9], "The kernel that adds up the parts of a cut K."},
         {path[10], Dimension::kBandwidth, "1 GB/s", "1000 TB/s", ref[10], "Rate at which it takes the fp32 parts in."},
         {path[11], Dimension::kTime, "0 ns", "1000 us", ref[11],
          "Each further part of a cut K that is added up in place."},
         {path[12], Dimension::kEnergy, "0 pJ", "1 nJ", ref[12], "Energy of a FLOP at power.clock."}});
  }
}

void add_older_sections(std::vector<GpuSection>& sections) {
  for (const OlderSection& one : older_sections()) sections.push_back(one.section);
}

}  // namespace kernbench
