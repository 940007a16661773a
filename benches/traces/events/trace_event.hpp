// An event of a trace as it is parsed: what any table needs of it. It lives as long as its batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernbench::traces {

/// By the event's `cat`, in the names of today's profilers and of those before 2022.
enum class EventCategory : std::uint8_t { kOther, kKernel, kMemcpy, kMemset, kRuntime, kOperator, kCpuMark, kGpuMark };

/// One entry of `Input Dims` and `Input Strides`: of a list of tensors, or where nothing is recorded, empty.
using TensorSizes = std::vector<std::int64_t>;

struct TraceEvent {
  EventCategory category = EventCategory::kOther;
  std::string_view name;      ///< UTF-8, escapes resolved
  std::string_view pid;       ///< as the file has them, quoted where they are texts
  std::string_view tid;       //
  std::string_view ts;        ///< digits, empty: not there
  std::string_view duration;  ///< digits, empty: 0

  std::optional<std::uint64_t> correlation;
  std::optional<std::uint64_t> external_id;

  std::string_view collective;  ///< "" none
  std::string_view dtype;
  std::string_view group;
  std::string_view group_ranks;
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::int64_t group_size = 0;
  std::int64_t sequence = -1;

  std::vector<TensorSizes> dims;     ///< `Input Dims`, an entry an argument of the operator
  std::vector<TensorSizes> strides;  ///< `Input Strides`
  std::vector<std::string> types;    ///< `Input type`
  std::vector<std::string> values;   ///< `Concrete Inputs`: of numbers, "" of tensors
};

}  // namespace kernbench::traces
