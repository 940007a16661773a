#include "benches/measured/probes/probed_gpu.hpp"

#include <algorithm>
#include <cmath>

#include "benches/io/files/write_file.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/machine/gpu/gpu_keys.hpp"

namespace kernbench {
namespace {

/// Measured numbers keep four digits: more are not in them. Counts and what the driver says stay whole.
std::string written(const GpuKey& key, const ProbeFinding& finding) {
  double units = finding.value / gpu_scale(key.dimension);
  if (finding.from == NumberSource::kProbe && key.dimension != Dimension::kCount && units > 0) {
    double step = std::pow(10, std::floor(std::log10(units)) - 3);
    if (key.dimension == Dimension::kBytes) step = 1 << 20;
    units = std::round(units / step) * step;
  }
  return format_quantity(std::llround(units), key.dimension);
}

bool named(const std::vector<std::string>& keys, const std::string& key) {
  return std::ranges::find(keys, key) != keys.end();
}

void check_names(const std::vector<std::string>& keys, const std::string& option,
                 const std::vector<ProbeFinding>& findings) {
  for (const std::string& key : keys) {
    if (key == "all" && option == "--take") continue;
    if (find_gpu_key(key) == nullptr) {
      std::vector<std::string_view> paths;
      for (const GpuKey& one : gpu_keys()) paths.push_back(one.path);
      refuse_name("key of a GPU", key, paths, option);
    }
    if (std::ranges::find(findings, key, &ProbeFinding::key) == findings.end()) {
      throw ConfigError(option + ": no good row measures '" + key + "'");
    }
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// The base's number, which says whose it is.
GpuOrigin of_base(const GpuOrigin& origin, const std::string& base) {
  GpuOrigin kept = origin;
  if (kept.from == NumberSource::kSame) return kept;
  if (kept.from == NumberSource::kSet) kept.from = NumberSource::kAssumed;
  kept.note = (kept.note.empty() ? "" : kept.note + "; ") + "as of " + base;
  return kept;
}

/// Of clusters the base's share, where the device has more or fewer SMs.
void scale_clustered(std::vector<ChosenNumber>& numbers, const LoadedGpu& base) {
  const auto find = [&](const char* key) { return std::ranges::find(numbers, key, &ChosenNumber::key); };
  const auto count = find("sm.count");
  const auto clustered = find("sm.clustered");
  if (count == numbers.end() || clustered == numbers.end() || count->origin.written == count->base) return;
  const auto sms = static_cast<double>(parse_quantity(count->origin.written, Dimension::kCount));
  const double reached = std::max(1.0, std::floor(sms * base.spec.sm.clustered / base.spec.sm.count));
  clustered->origin = {NumberSource::kAssumed, "the share of the SMs that clusters reach of " + base.spec.name,
                       format_quantity(std::llround(reached), Dimension::kCount), ""};
}

}  // namespace

std::vector<ChosenNumber> choose_numbers(const std::vector<ProbeFinding>& findings, const LoadedGpu& base,
                                         const ChoiceOptions& options) {
  check_names(options.take, "--take", findings);
  check_names(options.keep, "--keep", findings);
  std::vector<ChosenNumber> numbers;
  for (const GpuKey& key : gpu_keys()) {
    const auto origin = base.origins.find(std::string(key.path));
    if (origin == base.origins.end()) continue;  // of a section that the base is without
    ChosenNumber number;
    number.key = key.path;
    number.base = origin->second.written;
    number.origin = of_base(origin->second, base.spec.name);
    const auto finding = std::ranges::find(findings, number.key, &ProbeFinding::key);
    if (finding != findings.end()) {
      number.probed = written(key, *finding);
      const auto before = static_cast<double>(parse_quantity(number.base, key.dimension));
      const auto now = static_cast<double>(parse_quantity(number.probed, key.dimension));
      number.apart = before > 0 ? now / before - 1 : 0;
      const bool asked = named(options.take, number.key) || named(options.take, "all");
      number.taken = (finding->meant || asked) && !named(options.keep, number.key);
      if (number.taken) number.origin = {finding->from, finding->note, number.probed, ""};
    }
    numbers.push_back(std::move(number));
  }
  scale_clustered(numbers, base);
  return numbers;
}

std::string format_gpu_file(const std::vector<ChosenNumber>& numbers, const std::string& name,
                            const std::string& comment) {
  std::string text =
      "# " + comment + "\nschema: " + std::string(kGpuSchema) + "\nkind: gpu\nname: " + quoted(name) + "\n";
  std::vector<std::string> open;
  for (const ChosenNumber& number : numbers) {
    std::vector<std::string> parts = split(number.key, ".");
    const std::string leaf = parts.back();
    parts.pop_back();
    std::size_t common = 0;
    while (common < std::min(open.size(), parts.size()) && open[common] == parts[common]) ++common;
    if (common == 0) text += "\n";
    for (std::size_t i = common; i < parts.size(); ++i) text += std::string(2 * i, ' ') + parts[i] + ":\n";
    open = parts;
    text += std::string(2 * parts.size(), ' ') + leaf + ": {";
    const bool same = number.origin.from == NumberSource::kSame;
    if (!same) text += "is: " + number.origin.written + ", ";
    text += "from: " + std::string(kNumberSources[number.origin.from]);
    if (!number.origin.note.empty()) text += ", note: " + (same ? number.origin.note : quoted(number.origin.note));
    text += "}\n";
  }
  return text;
}

Table choice_table(const std::vector<ChosenNumber>& numbers) {
  Table table({{"key"},
               {"base", Align::kRight},
               {"probed", Align::kRight},
               {"apart", Align::kRight},
               {"takes"},
               {"why", Align::kLeft, 1, true}});
  for (const ChosenNumber& number : numbers) {
    const bool both = !number.probed.empty();
    table.add_row({number.key, number.base, number.probed, both ? formatted("%+.1f %%", number.apart * 100) : "",
                   std::string(number.taken ? "" : "base: ") + std::string(kNumberSources[number.origin.from]),
                   number.origin.note});
  }
  return table;
}

void write_gpu_file(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::path unchecked = path;
  unchecked += ".unchecked";
  write_file(unchecked, text);
  try {
    static_cast<void>(load_gpu(unchecked.string()));
    std::filesystem::rename(unchecked, path);
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(unchecked, ignored);
    throw ConfigError("not written: " + path.string() + " would be no GPU:\n" + error.what());
  }
}

}  // namespace kernbench
