#include "benches/results/statistics/alpha_beta_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace kernbench {

namespace {

constexpr std::size_t kLeastPoints = 3;        // one more than a line has parameters
constexpr std::size_t kLeastProportional = 2;  // alpha is 0: one parameter
constexpr std::size_t kMostSegments = 4;
constexpr double kGoodEnough = 0.01;
constexpr double kWorthwhile = 0.8;

double relative_error(const AlphaBetaSegment& segment, const SizeAndTime& point) {
  return (segment.time_ns(point.bytes) - point.time_ns) / point.time_ns;
}

/// Points [first, end), of different sizes in ascending order or of one size.
struct Line {
  AlphaBetaSegment segment;
  double squares = 0;  ///< sum of the squares of the relative errors
};

/// The slope of the best line through the origin.
double proportional(const std::vector<SizeAndTime>& points, std::size_t first, std::size_t end) {
  double along = 0;
  double across = 0;
  for (std::size_t i = first; i < end; ++i) {
    const double rate = static_cast<double>(points[i].bytes) / points[i].time_ns;
    along += rate * rate;
    across += rate;
  }
  return across / along;
}

/// Least squares with weights 1 / time^2 and neither parameter below 0, around the weighted means: sizes span seven
/// orders of magnitude.
Line fit_line(const std::vector<SizeAndTime>& points, std::size_t first, std::size_t end, bool through_origin) {
  double weights = 0;
  double mean_bytes = 0;
  double mean_time = 0;
  for (std::size_t i = first; i < end; ++i) {
    const double weight = 1 / (points[i].time_ns * points[i].time_ns);
    weights += weight;
    mean_bytes += weight * static_cast<double>(points[i].bytes);
    mean_time += weight * points[i].time_ns;
  }
  mean_bytes /= weights;
  mean_time /= weights;
  double across = 0;
  double along = 0;
  for (std::size_t i = first; i < end; ++i) {
    const double weight = 1 / (points[i].time_ns * points[i].time_ns);
    const double bytes = static_cast<double>(points[i].bytes) - mean_bytes;
    along += weight * bytes * bytes;
    across += weight * bytes * (points[i].time_ns - mean_time);
  }
  Line line;
  line.segment = {points[first].bytes, points[end - 1].bytes, 0, 0};
  const bool one_size = points[first].bytes == points[end - 1].bytes;
  line.segment.beta_ns_per_byte = one_size ? 0 : std::max(0.0, across / along);
  line.segment.alpha_ns = mean_time - line.segment.beta_ns_per_byte * mean_bytes;
  if (through_origin || line.segment.alpha_ns < 0) {
    line.segment.alpha_ns = 0;
    line.segment.beta_ns_per_byte = proportional(points, first, end);
  }
  for (std::size_t i = first; i < end; ++i) {
    const double error = relative_error(line.segment, points[i]);
    line.squares += error * error;
  }
  return line;
}

/// The best lines over the first points, for one number of lines.
struct Best {
  double squares = std::numeric_limits<double>::infinity();
  std::size_t last_begins = 0;
};

/// Line `begin` to `end` of a fit with `count` lines.
Line line_of(const std::vector<SizeAndTime>& points, std::size_t begin, std::size_t end, std::size_t count) {
  return fit_line(points, begin, end, count > 1 && end - begin < kLeastPoints);
}

/// The best fit with exactly `count` lines; no segments where there are too few points.
AlphaBetaFit fit_lines(const std::vector<SizeAndTime>& points, std::size_t count) {
  const std::size_t size = points.size();
  std::vector<std::vector<Best>> best(count + 1, std::vector<Best>(size + 1));
  best[0][0].squares = 0;
  const std::size_t least = count == 1 ? 1 : kLeastProportional;
  for (std::size_t lines = 1; lines <= count; ++lines) {
    for (std::size_t end = lines * least; end <= size; ++end) {
      for (std::size_t begin = (lines - 1) * least; begin + least <= end; ++begin) {
        if (std::isinf(best[lines - 1][begin].squares)) continue;
        const double squares = best[lines - 1][begin].squares + line_of(points, begin, end, count).squares;
        if (squares < best[lines][end].squares) best[lines][end] = {squares, begin};
      }
    }
  }
  AlphaBetaFit fit;
  if (std::isinf(best[count][size].squares)) return fit;
  for (std::size_t lines = count, end = size; lines > 0; --lines) {
    const std::size_t begin = best[lines][end].last_begins;
    fit.segments.insert(fit.segments.begin(), line_of(points, begin, end, count).segment);
    for (std::size_t i = begin; i < end; ++i) {
      const double error = std::abs(relative_error(fit.segments.front(), points[i]));
      fit.max_relative_error = std::max(fit.max_relative_error, error);
      fit.rms_relative_error += error * error / static_cast<double>(size);
    }
    end = begin;
  }
  fit.rms_relative_error = std::sqrt(fit.rms_relative_error);
  return fit;
}

}  // namespace

AlphaBetaFit fit_alpha_beta(std::vector<SizeAndTime> points) {
  if (points.empty()) return {};
  std::ranges::stable_sort(points, {}, &SizeAndTime::bytes);
  AlphaBetaFit fit = fit_lines(points, 1);
  for (std::size_t count = 2; count <= kMostSegments && fit.max_relative_error >= kGoodEnough; ++count) {
    AlphaBetaFit finer = fit_lines(points, count);
    if (finer.segments.empty() || finer.rms_relative_error > kWorthwhile * fit.rms_relative_error) break;
    fit = std::move(finer);
  }
  return fit;
}

}  // namespace kernbench
