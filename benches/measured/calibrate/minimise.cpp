#include "benches/measured/calibrate/minimise.hpp"

#include <algorithm>
#include <cmath>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/cmaes.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <utility>

namespace kernbench {
namespace {

constexpr double kFirstStep = 0.03;  // of the width between the bounds
constexpr double kStill = 1e-7;

struct BoundedLoss {
  const std::function<double(const std::vector<double>&)>* loss = nullptr;
  std::vector<double> lowest;
  std::vector<double> highest;

  [[nodiscard]] pagmo::vector_double fitness(const pagmo::vector_double& point) const { return {(*loss)(point)}; }
  [[nodiscard]] std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const { return {lowest, highest}; }
};

}  // namespace

std::vector<double> minimise(const std::function<double(const std::vector<double>&)>& loss,
                             const std::vector<double>& lowest, const std::vector<double>& highest, std::size_t budget,
                             std::uint32_t seed) {
  const pagmo::problem problem(BoundedLoss{&loss, lowest, highest});
  const auto size = static_cast<std::size_t>(5 + 3 * std::log(static_cast<double>(lowest.size())));
  pagmo::population population(problem, 0, seed);
  // CMA-ES begins at the best of the population, and ends at once where all are the same.
  population.push_back(pagmo::vector_double(lowest.size(), 0));
  while (population.size() < size) {
    pagmo::vector_double beside = population.random_decision_vector();
    for (double& value : beside) value *= kFirstStep;
    population.push_back(beside);
  }
  const auto generations = static_cast<unsigned>(std::max<std::size_t>(1, budget / size));
  const pagmo::algorithm algorithm(
      pagmo::cmaes(generations, -1, -1, -1, -1, kFirstStep, kStill, kStill, false, true, seed));
  return algorithm.evolve(population).champion_x();
}

}  // namespace kernbench
