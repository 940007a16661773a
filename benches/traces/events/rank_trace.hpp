// What is kept of one rank's trace: GPU events, their launches, GEMM operators, steps; names once each. Nothing is kept
// of other events, so that memory follows what the tables are made of (ADR-0040, 40.2).
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace kernbench::traces {

/// An index into one of the vectors of RankTrace, or none.
using TraceId = std::uint32_t;
inline constexpr TraceId kNoId = std::numeric_limits<TraceId>::max();

/// Picoseconds since RankTrace::origin_us: the file's first event, which need not be the earliest.
using TracePs = std::int64_t;

enum class GpuEventKind : std::uint8_t { kKernel, kMemcpy, kMemset };

/// What a GPU event is counted as (40.7).
enum class GpuActivity : std::uint8_t { kComputation, kCommunication, kCopy };

struct GpuEvent {
  TracePs start = 0;
  TracePs duration = 0;
  std::uint64_t correlation = 0;
  TraceId launch = kNoId;      ///< into launches; none: not linked, or the file has no runtime events
  TraceId gemm_op = kNoId;     ///< into gemm_ops: the innermost around the launch
  TraceId name = kNoId;        ///< into names
  TraceId stream = kNoId;      ///< into names: "pid/tid" as the file has them
  TraceId collective = kNoId;  ///< into collectives
  GpuEventKind kind = GpuEventKind::kKernel;
  GpuActivity activity = GpuActivity::kComputation;
  bool is_linked = false;  ///< a runtime or driver event has its correlation id (40.6)
  bool is_gemm = false;    ///< a kernel that computes and is named like a GEMM (40.16)

  [[nodiscard]] TracePs end() const { return start + duration; }
};

/// A runtime or driver event that has the correlation id of a GPU event.
struct Launch {
  TracePs start = 0;
  TracePs end = 0;
  std::uint64_t correlation = 0;
  TraceId thread = kNoId;  ///< into names: "pid/tid"
  TraceId gemm_op = kNoId;
  bool is_of_graph = false;  ///< launches the kernels of a graph
};

struct GemmOp {
  TracePs start = 0;
  TracePs end = 0;
  std::uint64_t external_id = 0;
  TraceId thread = kNoId;
  TraceId shape = kNoId;  ///< into gemm_shapes
};

/// What a GEMM operator was called with; sizes are 0 and texts empty where shapes were not recorded.
struct GemmShape {
  std::string op;  ///< "aten::addmm"
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 0;
  std::int64_t added = 0;  ///< elements of what is added to the products, of all of a batch; 0: nothing is
  std::string dtype_a;     ///< "BFloat16"
  std::string dtype_b;
  std::string dtype_c;      ///< of the result; "" where it is not known
  std::string dtype_added;  ///< of what is added
  std::string layout;       ///< of A and B: N: the last stride is 1, T: it is not; "" where strides were not recorded

  [[nodiscard]] bool is_known() const { return batch > 0; }
  bool operator==(const GemmShape&) const = default;
  auto operator<=>(const GemmShape& other) const {
    const auto key = [](const GemmShape& shape) {
      return std::tie(shape.op, shape.m, shape.n, shape.k, shape.batch, shape.added, shape.dtype_a, shape.dtype_b,
                      shape.dtype_c, shape.dtype_added, shape.layout);
    };
    return key(*this) <=> key(other);
  }
};

/// What ranks of a group have to agree on.
struct CollectiveSignature {
  std::string kind;               ///< "allreduce"
  std::string dtype;              ///< "BFloat16"
  std::int64_t in_elements = -1;  ///< -1: not said
  std::int64_t out_elements = -1;
  std::string group;        ///< name of the process group
  std::string group_ranks;  ///< "[0, 1, 2, 3]", as the file has it
  std::int64_t group_size = 0;

  bool operator==(const CollectiveSignature&) const = default;
};

/// Arguments of a communication kernel.
struct Collective {
  TraceId signature = kNoId;   ///< into signatures
  std::int64_t sequence = -1;  ///< its number in the group; -1: not recorded
};

/// A step of the training loop, or what --step-mark names (40.9).
struct TraceStep {
  std::int64_t number = 0;
  TracePs start = 0;
  TracePs end = 0;
};

/// Where the steps of a file come from.
enum class StepSource : std::uint8_t { kNone, kGpuAnnotations, kCpuAnnotations };

/// What distributedInfo says; nothing of it where the file has none.
struct DistributedInfo {
  std::optional<std::int64_t> rank;
  std::int64_t world_size = 0;  ///< 0: not said
  struct Group {
    std::string name;
    std::vector<std::int64_t> ranks;
  };
  std::vector<Group> groups;
};

/// What there is much of is in deques, which grow without a second copy.
struct RankTrace {
  std::filesystem::path file;
  DistributedInfo distributed;
  std::vector<std::string> devices;  ///< names, one a GPU of the host
  std::string origin_us;             ///< `ts` of the file's first event, its digits
  std::int64_t base_time_ns = 0;     ///< added to every ts: since 1970
  bool has_base_time = false;        ///< the file says it; the simulator's is 0

  std::vector<std::string> names;   ///< of kernels, streams and threads
  std::deque<GpuEvent> gpu_events;  ///< by start, then duration, correlation
  std::deque<Launch> launches;      ///< of GPU events, by correlation
  std::deque<GemmOp> gemm_ops;      ///< as in the file
  std::vector<GemmShape> gemm_shapes;
  std::vector<Collective> collectives;
  std::vector<CollectiveSignature> signatures;
  std::vector<TraceStep> steps;  ///< by start
  StepSource step_source = StepSource::kNone;

  bool has_runtime_events = false;            ///< without any every GPU event counts
  std::uint64_t bytes = 0;                    ///< of the file, decompressed
  std::uint64_t bad_events = 0;               ///< left out by --skip-bad
  std::optional<std::uint64_t> truncated_at;  ///< the byte where a file ends that --skip-bad reads as far as it goes
  std::vector<std::string> warnings;          ///< a line each, without the file's name

  [[nodiscard]] const std::string& name(TraceId id) const { return names[id]; }
  /// Whether the event counts where only linked ones do (40.6).
  [[nodiscard]] bool counts(const GpuEvent& event) const { return event.is_linked || !has_runtime_events; }
  /// Of a GEMM of which nobody knows what it multiplied: two of its launches may be two products (40.16).
  [[nodiscard]] bool is_of_unknown_shape(const GpuEvent& event) const {
    return event.gemm_op == kNoId ? event.is_gemm : !gemm_shapes[gemm_ops[event.gemm_op].shape].is_known();
  }
};

}  // namespace kernbench::traces
