#include "benches/experiments/search/sequences.hpp"

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <numeric>
#include <random>

namespace kernbench {

Sequence sobol_sequence(std::size_t axes, std::size_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<double> shifts(axes);
  for (double& shift : shifts) shift = std::uniform_real_distribution<double>(0, 1)(generator);
  boost::random::sobol engine(axes);
  const double range = static_cast<double>(boost::random::sobol::max()) + 1;
  Sequence rows(count, std::vector<double>(axes));
  for (std::vector<double>& row : rows) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const double place = static_cast<double>(engine()) / range + shifts[axis];
      row[axis] = place - std::floor(place);
    }
  }
  return rows;
}

Sequence latin_hypercube(std::size_t axes, std::size_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  Sequence rows(count, std::vector<double>(axes));
  std::vector<std::size_t> strata(count);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::iota(strata.begin(), strata.end(), 0);
    std::ranges::shuffle(strata, generator);
    for (std::size_t i = 0; i < count; ++i) {
      const double within = std::uniform_real_distribution<double>(0, 1)(generator);
      rows[i][axis] = (static_cast<double>(strata[i]) + within) / static_cast<double>(count);
    }
  }
  return rows;
}

}  // namespace kernbench
