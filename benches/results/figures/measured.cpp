#include "benches/results/figures/measured.hpp"

#include <algorithm>
#include <array>

#include "benches/results/figures/theme.hpp"

namespace kernbench {
namespace {

/// ", WORD value" of a field of the provenance; empty where it is absent.
std::string said(const Json& object, const char* field, const std::string& word) {
  const auto value = object.find(field);
  if (value == object.end() || !value->is_string()) return {};
  return ", " + word + value->get<std::string>();
}

}  // namespace

bool is_noisy(const Row& row) { return std::find(row.flags.begin(), row.flags.end(), "noisy") != row.flags.end(); }

std::string device_of(const Results& measured) {
  const std::string& kind = measured.source.kind;
  return kind.substr(kind.find(':') + 1);
}

const char* measured_colour(std::size_t index) {
  constexpr std::array kColours{palette::kVermillion, palette::kPurple, palette::kYellow, palette::kInk};
  return kColours.at(index % kColours.size());
}

std::vector<std::string> measured_notes(const std::vector<Results>& measured, const std::vector<const Row*>& shown) {
  std::vector<std::string> notes;
  for (const Results& results : measured) {
    const Json environment = results.provenance.value("environment", Json::object());
    const std::string date = results.provenance.value("created_at", std::string()).substr(0, 10);
    notes.push_back(device_of(results) + said(environment, "driver", "driver ") +
                    said(environment, "cuda_runtime", "CUDA ") + (date.empty() ? "" : ", measured " + date));
  }
  const auto count = std::count_if(shown.begin(), shown.end(), [](const Row* row) { return is_noisy(*row); });
  if (count > 0) {
    notes.push_back(std::to_string(count) + " of the " + std::to_string(shown.size()) +
                    " measured values are marked noisy: a second run differed by more than 5 %");
  }
  return notes;
}

}  // namespace kernbench
