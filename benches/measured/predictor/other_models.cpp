#include "benches/measured/predictor/other_models.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "benches/measured/reference/device.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/load_machine.hpp"

namespace kernbench {
namespace {

using Model = std::function<std::optional<double>(const GemmRow&)>;

Peaks peaks_of_pe(const MachineSpec& machine) {
  Peaks peaks{"one PE of " + machine.name, {}, static_cast<double>(machine.die.hbm.bandwidth.bytes_per_second) / 1e9};
  for (const Dtype dtype :
       {Dtype::kBf16, Dtype::kFp16, Dtype::kFp8E4m3, Dtype::kFp8E5m2, Dtype::kInt8, Dtype::kTf32, Dtype::kFp32}) {
    const double share = static_cast<double>(machine.pe.mac.rates.of(dtype)) / MacRates::kOne;
    if (share > 0) peaks.tflops[dtype] = machine.pe.peak_tflops() * share;
  }
  return peaks;
}

Peaks peaks_of_card(const Device& device) {
  Peaks peaks{device.name, {}, device.memory_gbs};
  for (const auto& [name, tflops] : device.peak_tflops) {
    if (const std::optional<Dtype> dtype = kOperandDtypes.find(name)) peaks.tflops[*dtype] = tflops;
  }
  return peaks;
}

std::string key_of(const GemmRow& row) {
  return std::to_string(row.m) + " " + std::to_string(row.n) + " " + std::to_string(row.k) + " " +
         std::string(name_of(row.dtype));
}

/// Of each fold: the geometric mean of actual / model over the rows of the others that have a time; 0 of none.
std::vector<double> constants_of(const GemmRows& rows, const std::vector<std::size_t>& folds, const Model& model) {
  std::vector<double> constants;
  const std::size_t count = *std::max_element(folds.begin(), folds.end()) + 1;
  for (std::size_t fold = 0; fold < count; ++fold) {
    double logarithms = 0;
    double used = 0;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      const std::optional<double> time = folds[i] == fold ? std::nullopt : model(rows.rows[i]);
      if (!time) continue;
      logarithms += std::log(rows.rows[i].time_ns / *time);
      ++used;
    }
    constants.push_back(used == 0 ? 0 : std::exp(logarithms / used));
  }
  return constants;
}

/// What all are compared on.
class CommonRows {
 public:
  CommonRows(const GemmRows& rows, const std::vector<std::size_t>& folds, RowPlaces places)
      : rows_(rows), folds_(folds), places_(std::move(places)) {}

  [[nodiscard]] ErrorSummary of(const std::function<double(std::size_t place)>& time_ns) const {
    std::vector<double> ratios;
    for (const std::size_t i : places_) ratios.push_back(time_ns(i) / rows_.rows[i].time_ns);
    return summary_of(ratios);
  }
  /// The model as it is, and times a constant.
  void add(std::vector<ComparedModel>& all, const std::string& name, const std::string& note,
           const Model& model) const {
    all.push_back({name, of([&](std::size_t i) { return model(rows_.rows[i]).value(); }), note});
    const std::vector<double> constants = constants_of(rows_, folds_, model);
    all.push_back({name + " x constant",
                   of([&](std::size_t i) { return model(rows_.rows[i]).value() * constants[folds_[i]]; }),
                   "one factor for all rows, fitted on training rows alone"});
  }

 private:
  const GemmRows& rows_;
  const std::vector<std::size_t>& folds_;
  RowPlaces places_;
};

}  // namespace

std::optional<double> Peaks::roofline_ns(const GemmRow& row) const {
  const auto peak = tflops.find(row.dtype);
  if (peak == tflops.end()) return std::nullopt;
  return std::max(row.flops() / peak->second / 1e3, row.bytes() / memory_gbs);
}

Peaks read_peaks(const std::filesystem::path& file) {
  if (file.extension() == ".json") return peaks_of_card(parse_device(read_file(file), file.string()));
  return peaks_of_pe(load_machine(file.string()).spec);
}

std::optional<std::filesystem::path> card_beside(const std::filesystem::path& rows) {
  const std::filesystem::path card = rows.parent_path() / "device.json";
  return std::filesystem::exists(card) ? std::optional(card) : std::nullopt;
}

SimulatedTimes::SimulatedTimes(const GemmRows& rows) : source_(joined(rows.sources)) {
  std::map<std::string, const GemmRow*> first;
  for (const GemmRow& row : rows.rows) {
    const auto [known, is_new] = first.emplace(key_of(row), &row);
    if (!is_new) {
      throw ConfigError("--simulated: there are two rows of one shape and dtype, " + words_of(*known->second, rows) +
                        " and " + words_of(row, rows) + "; say which is meant: --simulated-only FIELD=VALUE,...");
    }
    times_[key_of(row)] = row.time_ns;
  }
}

std::optional<double> SimulatedTimes::time_ns(const GemmRow& row) const {
  const auto found = times_.find(key_of(row));
  return found == times_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<ComparedModel> compare_models(const GemmRows& rows, const std::vector<std::size_t>& folds,
                                          const std::vector<HeldOutRow>& held_out, const OtherModels& others) {
  const Model roofline = [&](const GemmRow& row) { return others.peaks->roofline_ns(row); };
  const Model simulated = [&](const GemmRow& row) { return others.simulated->time_ns(row); };
  RowPlaces places;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const GemmRow& row = rows.rows[i];
    if (held_out[i].covered && (!others.peaks || roofline(row)) && (!others.simulated || simulated(row))) {
      places.push_back(i);
    }
  }
  std::vector<ComparedModel> all;
  if (places.empty()) {
    all.push_back({"predictor", {}, "there is no held-out row that every model has a time for"});
    return all;
  }
  const CommonRows common(rows, folds, places);
  all.push_back({"predictor", common.of([&](std::size_t i) { return held_out[i].predicted_ns; }), "as above"});
  if (others.peaks) {
    const auto is_beaten = [&](std::size_t i) { return rows.rows[i].time_ns < 0.99 * roofline(rows.rows[i]).value(); };
    const auto beaten = std::ranges::count_if(places, is_beaten);
    std::string note = "peaks of " + others.peaks->name;
    if (beaten > 0) {
      note += "; " + std::to_string(beaten) + " of " + std::to_string(places.size()) +
              " rows are faster than it: other peaks than those of what ran them";
    }
    common.add(all, "roofline", note, roofline);
  } else {
    all.push_back(
        {"roofline", {}, "no peaks are known: --peaks FILE names a device's card, or a machine file of one PE"});
  }
  if (others.simulated) {
    common.add(all, "simulator", others.simulated->source(), simulated);
  } else {
    all.push_back(
        {"simulator", {}, "no simulated rows: --simulated RESULTS names those of a machine that models the device"});
  }
  return all;
}

}  // namespace kernbench
