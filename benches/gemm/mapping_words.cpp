#include "benches/gemm/mapping_words.hpp"

#include "benches/io/text/numbers.hpp"

namespace kernbench {

std::string streamed_text(const GemmMapping& mapping) {
  return std::string(mapping.blocks.a ? "" : "A") + (mapping.blocks.b ? "" : "B");
}

std::string margin_text(const std::vector<double>& times, std::int64_t over_time) {
  std::string text;
  if (times.size() > 1) text += "; the next takes " + percent(times[1] / times[0] - 1) + " longer";
  if (over_time > 0) text += "; " + grouped(over_time) + " that passed --time-limit are left out";
  return text;
}

}  // namespace kernbench
