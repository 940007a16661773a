#include "benches/experiments/search/sensitivity.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>

#include "benches/experiments/search/sequences.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kFewestSamples = 16;
constexpr std::size_t kResamples = 1000;
constexpr double kTail = 0.025;
constexpr double kNoVariance = 1e-24;  ///< of the mean squared

/// What a sample says: the value at A, at B, and at A with the value of B on one axis.
struct Sample {
  double a = 0;
  double b = 0;
  std::vector<double> mixed;
};

/// Points of a Sobol sequence as choices, each of them 2 x axes numbers: one of A and one of B.
std::vector<std::pair<Choice, Choice>> pairs_of(const Space& space, std::size_t count, std::uint32_t seed) {
  const std::size_t axes = space.axes().size();
  std::vector<std::pair<Choice, Choice>> pairs;
  for (const std::vector<double>& row : sobol_sequence(2 * axes, count, seed)) {
    Choice both;
    for (std::size_t k = 0; k < row.size(); ++k) {
      both.push_back(static_cast<std::size_t>(row[k] * static_cast<double>(space.axes()[k % axes].values.size())));
    }
    const auto middle = both.begin() + static_cast<std::ptrdiff_t>(axes);
    pairs.emplace_back(Choice(both.begin(), middle), Choice(middle, both.end()));
  }
  return pairs;
}

Choice mixed(const Choice& a, const Choice& b, std::size_t axis) {
  Choice choice = a;
  choice[axis] = b[axis];
  return choice;
}

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

/// Every choice that the samples ask for, with no value yet.
std::map<Choice, double> asked_by(const std::vector<std::pair<Choice, Choice>>& pairs) {
  std::map<Choice, double> values;
  for (const auto& [a, b] : pairs) {
    values[a] = values[b] = kNoValue;
    for (std::size_t axis = 0; axis < a.size(); ++axis) values[mixed(a, b, axis)] = kNoValue;
  }
  return values;
}

/// Each evaluated once; one that does not run keeps none.
std::map<Choice, double> values_at(const Space& space, const Expression& expression, std::map<Choice, double> values,
                                   const EvaluateChoices& evaluate) {
  std::vector<Choice> choices;
  for (const auto& [choice, value] : values) {
    if (space.allows(choice)) choices.push_back(choice);
  }
  const std::vector<Row> rows = evaluate(choices);
  bool checked = false;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (rows[i].status != "ok") continue;
    if (!checked) expression.require_metrics(rows[i]);
    checked = true;
    values[choices[i]] = expression.value(space.machine(choices[i]), &rows[i]);
  }
  return values;
}

struct Indices {
  std::vector<double> first;
  std::vector<double> total;
};

/// Of the samples with these places; nothing where they do not vary.
Indices indices_of(const std::vector<Sample>& samples, const std::vector<std::size_t>& places) {
  const auto count = static_cast<double>(places.size());
  double sum = 0;
  for (const std::size_t i : places) sum += samples[i].a + samples[i].b;
  const double mean = sum / (2 * count);
  double squares = 0;
  for (const std::size_t i : places) {
    squares += (samples[i].a - mean) * (samples[i].a - mean) + (samples[i].b - mean) * (samples[i].b - mean);
  }
  const double variance = squares / (2 * count);
  Indices indices;
  if (variance <= kNoVariance * mean * mean) return indices;
  for (std::size_t axis = 0; axis < samples.front().mixed.size(); ++axis) {
    double alone = 0;
    double all = 0;
    for (const std::size_t i : places) {
      const Sample& sample = samples[i];
      alone += (sample.b - mean) * (sample.mixed[axis] - sample.a);
      all += (sample.a - sample.mixed[axis]) * (sample.a - sample.mixed[axis]);
    }
    indices.first.push_back(alone / count / variance);
    indices.total.push_back(all / (2 * count) / variance);
  }
  return indices;
}

Share share_of(double value, std::vector<double> resampled) {
  std::ranges::sort(resampled);
  const auto at = [&resampled](double quantile) {
    return resampled[static_cast<std::size_t>(quantile * static_cast<double>(resampled.size() - 1))];
  };
  return {value, at(kTail), at(1 - kTail)};
}

/// Mean and variance over a whole grid.
struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments_of(const std::map<Choice, double>& values) {
  const auto count = static_cast<double>(values.size());
  Moments moments;
  for (const auto& [choice, value] : values) moments.mean += value / count;
  for (const auto& [choice, value] : values) {
    moments.variance += (value - moments.mean) * (value - moments.mean) / count;
  }
  return moments;
}

/// The means of the grid over what `key_of` leaves of a choice.
std::map<Choice, double> means_by(const std::map<Choice, double>& values,
                                  const std::function<Choice(const Choice&)>& key_of) {
  std::map<Choice, std::pair<double, double>> sums;
  for (const auto& [choice, value] : values) {
    auto& [sum, count] = sums[key_of(choice)];
    sum += value;
    count += 1;
  }
  std::map<Choice, double> means;
  for (const auto& [key, sum] : sums) means[key] = sum.first / sum.second;
  return means;
}

/// Of every choice of the grid: the shares themselves, not estimates of them. Nothing where a choice has no value.
std::optional<Sensitivity> exact(const Space& space, const std::map<Choice, double>& values) {
  if (!std::ranges::all_of(values, [](const auto& one) { return std::isfinite(one.second); })) return std::nullopt;
  const Moments all = moments_of(values);
  Sensitivity answer;
  answer.mean = all.mean;
  answer.deviation = std::sqrt(all.variance);
  answer.samples = values.size();
  answer.is_exact = true;
  if (all.variance <= kNoVariance * all.mean * all.mean) return answer;
  const auto share = [](double value) { return Share{value, value, value}; };
  for (std::size_t axis = 0; axis < space.axes().size(); ++axis) {
    const auto alone = means_by(values, [axis](const Choice& choice) { return Choice{choice[axis]}; });
    const auto others = means_by(values, [axis](Choice choice) {
      choice[axis] = 0;
      return choice;
    });
    answer.axes.push_back(
        {share(moments_of(alone).variance / all.variance), share(1 - moments_of(others).variance / all.variance)});
  }
  return answer;
}

/// Every choice of the space, with no value yet.
std::map<Choice, double> whole_grid(const Space& space) {
  std::map<Choice, double> values;
  Choice choice(space.axes().size(), 0);
  for (std::size_t axis = 0; axis < choice.size();) {
    values[choice] = kNoValue;
    for (axis = 0; axis < choice.size() && ++choice[axis] == space.axes()[axis].values.size(); ++axis) choice[axis] = 0;
  }
  return values;
}

}  // namespace

std::vector<std::size_t> by_influence(const Sensitivity& sensitivity) {
  std::vector<std::size_t> places(sensitivity.axes.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, std::ranges::greater(),
                           [&sensitivity](std::size_t i) { return sensitivity.axes[i].total.value; });
  return places;
}

Sensitivity sensitivity(const Space& space, const Expression& expression, std::size_t budget, std::uint32_t seed,
                        const EvaluateChoices& evaluate) {
  if (space.size() <= static_cast<double>(budget)) {
    const auto values = values_at(space, expression, whole_grid(space), evaluate);
    if (const std::optional<Sensitivity> answer = exact(space, values)) return *answer;
  }
  const std::size_t axes = space.axes().size();
  const std::size_t count = std::bit_floor(budget / (axes + 2));
  if (count < kFewestSamples) {
    throw ConfigError("--sensitivity: expected a --budget of at least " + std::to_string(kFewestSamples * (axes + 2)) +
                      ", " + std::to_string(kFewestSamples) + " samples of " + std::to_string(axes + 2) +
                      " machines, got " + std::to_string(budget));
  }
  const auto pairs = pairs_of(space, count, seed);
  const std::map<Choice, double> values = values_at(space, expression, asked_by(pairs), evaluate);
  Sensitivity answer;
  std::vector<Sample> samples;
  for (const auto& [a, b] : pairs) {
    Sample sample{values.at(a), values.at(b), {}};
    bool ran = std::isfinite(sample.a) && std::isfinite(sample.b);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      sample.mixed.push_back(values.at(mixed(a, b, axis)));
      ran = ran && std::isfinite(sample.mixed.back());
    }
    if (ran) samples.push_back(std::move(sample));
  }
  answer.samples = samples.size();
  answer.left_out = count - samples.size();
  if (samples.empty()) return answer;
  std::vector<std::size_t> places(samples.size());
  std::iota(places.begin(), places.end(), 0);
  double sum = 0;
  double squares = 0;
  for (const Sample& sample : samples) {
    sum += sample.a + sample.b;
    squares += sample.a * sample.a + sample.b * sample.b;
  }
  answer.mean = sum / (2 * static_cast<double>(samples.size()));
  answer.deviation =
      std::sqrt(std::max(0.0, squares / (2 * static_cast<double>(samples.size())) - answer.mean * answer.mean));
  const Indices indices = indices_of(samples, places);
  if (indices.first.empty()) return answer;
  std::mt19937 generator(seed);
  std::uniform_int_distribution<std::size_t> any(0, samples.size() - 1);
  std::vector<std::vector<double>> first(axes);
  std::vector<std::vector<double>> total(axes);
  for (std::size_t i = 0; i < kResamples; ++i) {
    for (std::size_t& place : places) place = any(generator);
    const Indices again = indices_of(samples, places);
    for (std::size_t axis = 0; axis < again.first.size(); ++axis) {
      first[axis].push_back(again.first[axis]);
      total[axis].push_back(again.total[axis]);
    }
  }
  for (std::size_t axis = 0; axis < axes; ++axis) {
    answer.axes.push_back({share_of(indices.first[axis], first[axis]), share_of(indices.total[axis], total[axis])});
  }
  return answer;
}

}  // namespace kernbench
