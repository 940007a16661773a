#include "benches/harness/search/sensitivity.hpp"

#include <algorithm>
#include <bit>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kFewestSamples = 16;
constexpr std::size_t kResamples = 1000;
constexpr double kTail = 0.025;

/// What a sample says: the value at A, at B, and at A with the value of B on one axis.
struct Sample {
  double a = 0;
  double b = 0;
  std::vector<double> mixed;
};

/// Points of a Sobol sequence as choices, each of them 2 x axes numbers: one of A and one of B.
std::vector<std::pair<Choice, Choice>> pairs_of(const Space& space, std::size_t count) {
  const std::size_t axes = space.axes().size();
  boost::random::sobol sequence(2 * axes);
  std::vector<std::pair<Choice, Choice>> pairs;
  const double range = static_cast<double>(boost::random::sobol::max()) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    Choice both;
    for (std::size_t k = 0; k < 2 * axes; ++k) {
      const auto values = static_cast<double>(space.axes()[k % axes].values.size());
      both.push_back(static_cast<std::size_t>(static_cast<double>(sequence()) / range * values));
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

/// Values of choices, each evaluated once; NaN of one that does not run.
std::map<Choice, double> values_at(const Space& space, const Expression& expression,
                                   const std::vector<std::pair<Choice, Choice>>& pairs,
                                   const EvaluateChoices& evaluate) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::map<Choice, double> values;
  for (const auto& [a, b] : pairs) {
    values[a] = values[b] = kNone;
    for (std::size_t axis = 0; axis < a.size(); ++axis) values[mixed(a, b, axis)] = kNone;
  }
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
  if (variance <= 1e-24 * mean * mean) return indices;
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
  const std::size_t axes = space.axes().size();
  const std::size_t count = std::bit_floor(budget / (axes + 2));
  if (count < kFewestSamples) {
    throw ConfigError("--sensitivity: expected a --budget of at least " + std::to_string(kFewestSamples * (axes + 2)) +
                      ", " + std::to_string(kFewestSamples) + " samples of " + std::to_string(axes + 2) +
                      " machines, got " + std::to_string(budget));
  }
  const auto pairs = pairs_of(space, count);
  const std::map<Choice, double> values = values_at(space, expression, pairs, evaluate);
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
