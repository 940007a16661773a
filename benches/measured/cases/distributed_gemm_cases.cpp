#include "benches/measured/cases/distributed_gemm_cases.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/plan/distributed_gemm/distributed_matrix.hpp"

namespace kernbench {
namespace {

struct GemmShape {
  std::string group;
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
};

std::int64_t dimension(const CheckedJson& json) {
  const std::int64_t value = json.integer();
  if (value < 1 || value > 1'000'000) json.expected("a whole number from 1 to 1000000");
  return value;
}

std::vector<GemmShape> shapes(const CheckedJson& list) {
  std::vector<GemmShape> found;
  for (std::size_t i = 0; i < list.array().size(); ++i) {
    const CheckedJson shape = list.at(i);
    if (const CheckedJson dtype = shape.at("dtype"); dtype.string() != "bf16") dtype.expected("\"bf16\"");
    found.push_back(
        {shape.at("group").string(), dimension(shape.at("m")), dimension(shape.at("k")), dimension(shape.at("n"))});
  }
  return found;
}

/// What `parse` makes of each text of a list, whose mistakes are reported with their place in the file.
template <typename Parse>
auto parsed(const CheckedJson& list, const Parse& parse, const std::string& what) {
  std::vector<decltype(parse(""))> found;
  for (std::size_t i = 0; i < list.array().size(); ++i) {
    try {
      found.push_back(parse(list.at(i).string()));
    } catch (const ConfigError&) {
      list.at(i).expected(what);
    }
  }
  return found;
}

std::vector<DistributedMethod> methods(const CheckedJson& section, const DistributedGemmChoice& choice) {
  std::vector<DistributedMethod> found;
  for (const std::string& method : choice.methods) found.push_back(kStationaryMethods.parse(method, "--methods"));
  if (!found.empty()) return found;
  const auto one = [](const std::string& text) {
    return text == "dtensor" ? std::optional<DistributedMethod>() : kStationaryMethods.parse(text, "");
  };
  const std::string expected = "dtensor, stationary_a, stationary_b, stationary_c or auto";
  for (const std::optional<DistributedMethod> method : parsed(section.at("methods"), one, expected)) {
    if (method) found.push_back(*method);
  }
  return found;
}

std::vector<std::array<Partition, 3>> partitions(const CheckedJson& section, const DistributedGemmChoice& choice) {
  std::vector<std::array<Partition, 3>> found;
  for (const std::string& triple : choice.partitions) found.push_back(parse_partitions(triple, "--partitions"));
  if (!found.empty()) return found;
  const auto one = [](const std::string& text) { return parse_partitions(text, ""); };
  return parsed(section.at("triples"), one, "partitions of A, B and C, as in \"row,column,row\"");
}

std::string name_of(const std::array<Partition, 3>& triple) {
  return joined(std::vector<std::string_view>{kPartitions[triple[0]], kPartitions[triple[1]], kPartitions[triple[2]]},
                ",");
}

std::vector<int> replications(const CheckedJson& section, const DistributedGemmChoice& choice) {
  if (!choice.replications.empty()) return choice.replications;
  std::vector<int> found;
  const CheckedJson list = section.at("replications");
  for (std::size_t i = 0; i < list.array().size(); ++i) {
    const std::int64_t value = list.at(i).integer();
    if (value < 1 || value > 1024) list.at(i).expected("a whole number from 1 to 1024");
    found.push_back(static_cast<int>(value));
  }
  return found;
}

/// About how long a case takes on GPUs of the H200's speed: one product on one GPU, some twenty on all, and memory.
double estimate_s(const GemmShape& shape, int gpus) {
  constexpr double kFlopsPerSecond = 4e14;
  const double one_s = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.k) *
                       static_cast<double>(shape.n) / kFlopsPerSecond;
  return 0.15 + one_s + 20 * one_s / gpus;
}

Json point_of(const GemmShape& shape, const std::array<Partition, 3>& triple, int replication, int gpus,
              DistributedMethod method) {
  if (method == DistributedMethod::kAuto) method = largest_operand_stays({shape.m, shape.k, shape.n});
  return {{"group", shape.group},
          {"m", shape.m},
          {"k", shape.k},
          {"n", shape.n},
          {"dtype", "bf16"},
          {"method", kStationaryMethods[method]},
          {"partitions", name_of(triple)},
          {"replication", replication},
          {"gpus", gpus}};
}

}  // namespace

std::vector<PlannedCase> distributed_gemm_cases(const Suites& suites, const DistributedGemmChoice& choice) {
  const CheckedJson section = suites.part("distributed_gemm");
  const std::vector<GemmShape> all_shapes = shapes(section.at(choice.smoke ? "smoke" : "suite"));
  std::vector<PlannedCase> cases;
  for (const int replication : replications(section, choice)) {
    for (const auto& triple : partitions(section, choice)) {
      for (const GemmShape& shape : all_shapes) {
        for (const DistributedMethod method : methods(section, choice)) {
          const Json point = point_of(shape, triple, replication, choice.gpus, method);
          const auto same = [&point](const PlannedCase& other) { return other.point == point; };
          if (std::any_of(cases.begin(), cases.end(), same)) continue;
          cases.push_back({shape.group, point, estimate_s(shape, choice.gpus)});
        }
      }
    }
  }
  return cases;
}

DistributedGemm distributed_gemm_of(const Json& point) {
  const int replication = point.at("replication").get<int>();
  return {point.at("m").get<std::int64_t>(),
          point.at("k").get<std::int64_t>(),
          point.at("n").get<std::int64_t>(),
          parse_partitions(point.at("partitions").get<std::string>(), "partitions"),
          {replication, replication, replication},
          kDistributedMethods.parse(point.at("method").get<std::string>(), "method"),
          point.at("gpus").get<int>()};
}

}  // namespace kernbench
