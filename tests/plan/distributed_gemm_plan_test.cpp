// Plans of GEMMs over several devices: tiles, who multiplies what, and each product once.
#include <doctest/doctest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/base/errors.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/plan/distributed_gemm/distributed_gemm.hpp"
#include "tests/plan/random_distributed_gemm.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

DistributedGemm problem_of(std::int64_t m, std::int64_t k, std::int64_t n, const std::string& partitions, int devices,
                           DistributedMethod method, std::array<int, 3> replication = {1, 1, 1}) {
  return {m, k, n, parse_partitions(partitions, "--partitions"), replication, method, devices};
}

DistributedMatrix matrix(std::int64_t rows, std::int64_t columns, Partition partition, int replication, int devices) {
  return {rows, columns, partition, replication, devices, "--replication"};
}

Rect rect(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) {
  return {{top, bottom}, {left, right}};
}

/// Another planner's plans, decompressed; empty where the folder of test data is absent.
std::string other_plans() {
  const std::filesystem::path path =
      std::filesystem::path(kernbench::source_dir()) / "../shared/data/universal_gemm/plans.json.gz";
  if (!std::filesystem::exists(path)) return "";
  gzFile file = gzopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  std::string text;
  std::array<char, 65536> buffer{};
  for (int count = 1; count > 0;) {
    count = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()));
    REQUIRE(count >= 0);
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  gzclose(file);
  return text;
}

using Json = nlohmann::json;

/// Rows and columns of the other planner's slice, which counts from its tile's corner.
Rect in_matrix(const Json& slice, const DistributedMatrix& matrix, const Json& tile) {
  const Rect whole = matrix.tile(tile[0].get<int>() * matrix.grid_columns() + tile[1].get<int>());
  const std::int64_t top = whole.rows.begin;
  const std::int64_t left = whole.columns.begin;
  return rect(top + slice[0].get<std::int64_t>(), top + slice[1].get<std::int64_t>(),
              left + slice[2].get<std::int64_t>(), left + slice[3].get<std::int64_t>());
}

/// An operation as numbers that can be sorted: m, k, n and the owners of A, B, C.
using Fingerprint = std::array<std::int64_t, 9>;

Fingerprint fingerprint(const DistributedOperation& x) {
  return {x.m.begin, x.m.end, x.k.begin, x.k.end, x.n.begin, x.n.end, x.a_owner, x.b_owner, x.c_owner};
}

Fingerprint fingerprint(const Json& x, const DistributedGemmPlan& plan) {
  const Rect a = in_matrix(x[3], plan.a, x[0]);
  const Rect b = in_matrix(x[4], plan.b, x[1]);
  const Rect c = in_matrix(x[5], plan.c, x[2]);
  REQUIRE(a == Rect{c.rows, b.rows});
  REQUIRE(b.columns == c.columns);
  return fingerprint({a.rows, a.columns, b.columns, 0, 0, 0, x[6].get<int>(), x[7].get<int>(), x[8].get<int>()});
}

std::set<Fingerprint> of_device(const DistributedGemmPlan& plan, int device) {
  std::set<Fingerprint> operations;
  for (const auto& operation : plan.devices[static_cast<std::size_t>(device)])
    operations.insert(fingerprint(operation));
  return operations;
}

std::set<Fingerprint> of_device(const Json& other, const DistributedGemmPlan& plan, int device) {
  std::set<Fingerprint> operations;
  for (const Json& operation : other.at("ops")[static_cast<std::size_t>(device)]) {
    operations.insert(fingerprint(operation, plan));
  }
  return operations;
}

/// Parts of A, B and C that a device has to get from or give to another one, in elements.
std::int64_t remote_elements(const std::set<Fingerprint>& operations, int device) {
  std::int64_t elements = 0;
  for (const Fingerprint& x : operations) {
    const std::int64_t m = x[1] - x[0];
    const std::int64_t k = x[3] - x[2];
    const std::int64_t n = x[5] - x[4];
    elements += (x[6] == device ? 0 : m * k) + (x[7] == device ? 0 : k * n) + (x[8] == device ? 0 : m * n);
  }
  return elements;
}

}  // namespace

TEST_SUITE("ADR-0023") {
  TEST_CASE("23.1 tiles by ceiling division: trailing ones short or empty; block grids have the closest factors") {
    const DistributedMatrix rows = matrix(9, 5, Partition::kRow, 1, 4);  // 3 rows a tile
    CHECK(rows.tile(0) == rect(0, 3, 0, 5));
    CHECK(rows.tile(2) == rect(6, 9, 0, 5));
    CHECK(rows.tile(3).empty());
    CHECK(matrix(5, 10, Partition::kColumn, 1, 4).tile(3) == rect(0, 5, 9, 10));
    for (const auto& [devices, grid] : std::map<int, std::pair<int, int>>{
             {1, {1, 1}}, {2, {2, 1}}, {4, {2, 2}}, {6, {3, 2}}, {7, {7, 1}}, {12, {4, 3}}, {36, {6, 6}}}) {
      const DistributedMatrix blocks = matrix(100, 100, Partition::kBlock, 1, devices);
      CHECK(blocks.grid_rows() == grid.first);
      CHECK(blocks.grid_columns() == grid.second);
    }
    CHECK(matrix(10, 10, Partition::kBlock, 1, 6).tile(3) == rect(4, 8, 5, 10));
  }

  TEST_CASE("23.1 the tiles of a replica hold each element once") {
    CHECK(rc::check("tiles", [] {
      const DistributedGemm problem = random_distributed_gemm(40);
      const DistributedMatrix a =
          matrix(problem.m, problem.k, problem.partitions[0], problem.replication[0], problem.devices);
      std::int64_t elements = 0;
      std::vector<int> held;
      for (int tile = 0; tile < a.tiles(); ++tile) {
        elements += a.tile(tile).elements();
        if (!a.tile(tile).empty()) held.push_back(tile);
        for (int other = 0; other < tile; ++other) RC_ASSERT(common(a.tile(tile), a.tile(other)).empty());
      }
      RC_ASSERT(elements == problem.m * problem.k);
      RC_ASSERT(a.tiles_in(rect(0, problem.m, 0, problem.k)) == held);
    }));
  }

  TEST_CASE("23.2 the replica is the outer dimension of the mesh; a device uses the copies of its own replica") {
    const DistributedMatrix x = matrix(8, 8, Partition::kBlock, 2, 8);
    CHECK(x.tiles() == 4);
    CHECK(x.tile_of(6) == 2);
    CHECK(x.replica_of(6) == 1);
    CHECK(x.owner(2, 1) == 6);
    CHECK(x.owner_for(5, 2) == 6);
    CHECK(x.owner_for(3, 2) == 2);
  }

  TEST_CASE("23.3 each (i, j, k) is in one operation of one device, within one tile of each matrix") {
    CHECK(rc::check("coverage", [] {
      const DistributedGemm problem = random_distributed_gemm(12);
      const DistributedGemmPlan plan = plan_distributed_gemm(problem);
      std::map<std::array<std::int64_t, 3>, int> times;
      for (int device = 0; device < problem.devices; ++device) {
        for (const DistributedOperation& operation : plan.devices[static_cast<std::size_t>(device)]) {
          RC_ASSERT(common(plan.a.tile(operation.a_tile), operation.a()) == operation.a());
          RC_ASSERT(common(plan.b.tile(operation.b_tile), operation.b()) == operation.b());
          RC_ASSERT(common(plan.c.tile(operation.c_tile), operation.c()) == operation.c());
          for (std::int64_t i = operation.m.begin; i < operation.m.end; ++i) {
            for (std::int64_t j = operation.n.begin; j < operation.n.end; ++j) {
              for (std::int64_t l = operation.k.begin; l < operation.k.end; ++l) ++times[{i, j, l}];
            }
          }
        }
      }
      RC_ASSERT(static_cast<std::int64_t>(times.size()) == problem.m * problem.n * problem.k);
      for (const auto& entry : times) RC_ASSERT(entry.second == 1);
    }));
  }

  TEST_CASE("23.4 a replica of stationary C has a chunk of K, of B a chunk of M, of A a chunk of N") {
    const auto shares = [](DistributedMethod method, std::array<int, 3> replication) {
      const DistributedGemmPlan plan =
          plan_distributed_gemm(problem_of(5, 7, 9, "row,row,row", 2, method, replication));
      REQUIRE(plan.devices[0].size() == 1);
      REQUIRE(plan.devices[1].size() == 1);
      return std::pair{plan.devices[0][0], plan.devices[1][0]};
    };
    const auto c = shares(DistributedMethod::kC, {2, 2, 2});
    CHECK(c.first.k == Interval{0, 4});
    CHECK(c.second.k == Interval{4, 7});
    CHECK(c.second.m == Interval{0, 5});
    const auto b = shares(DistributedMethod::kB, {2, 2, 2});
    CHECK(b.first.m == Interval{0, 3});
    CHECK(b.second.m == Interval{3, 5});
    const auto a = shares(DistributedMethod::kA, {2, 2, 2});
    CHECK(a.first.n == Interval{0, 5});
    CHECK(a.second.n == Interval{5, 9});
  }

  TEST_CASE("23.4 auto keeps the largest operand still; of equals C before B before A") {
    const auto chosen = [](std::int64_t m, std::int64_t k, std::int64_t n) {
      return plan_distributed_gemm(problem_of(m, k, n, "row,row,row", 2, DistributedMethod::kAuto)).method;
    };
    CHECK(chosen(100, 90, 10) == DistributedMethod::kA);
    CHECK(chosen(10, 90, 100) == DistributedMethod::kB);
    CHECK(chosen(100, 10, 90) == DistributedMethod::kC);
    CHECK(chosen(50, 50, 50) == DistributedMethod::kC);
    CHECK(chosen(10, 90, 10) == DistributedMethod::kB);
  }

  TEST_CASE("23.5 m is outermost and k innermost, and device t of T starts t / T of the way through its list") {
    const DistributedGemmPlan plan =
        plan_distributed_gemm(problem_of(8, 8, 8, "row,column,row", 4, DistributedMethod::kC));
    for (int device = 0; device < 4; ++device) {
      for (int step = 0; step < 4; ++step) {
        const auto& operation = plan.devices[static_cast<std::size_t>(device)][static_cast<std::size_t>(step)];
        CHECK(operation.b_owner == (device + step) % 4);  // so each owner is asked by one device at a time
      }
    }
    const DistributedGemmPlan blocks =
        plan_distributed_gemm(problem_of(8, 8, 8, "block,block,row", 4, DistributedMethod::kC));
    const auto& first = blocks.devices[0];
    REQUIRE(first.size() == 4);
    CHECK(first[1].k == Interval{4, 8});
    CHECK(first[1].n == first[0].n);
    CHECK(first[2].n == Interval{4, 8});
  }

  TEST_CASE(
      "23.3 23.4 operations are those of another planner where one replica stands still, and nowhere is more moved") {
    const std::string text = other_plans();
    if (text.empty()) {
      MESSAGE("skipped: there is no ../shared/data/universal_gemm/plans.json.gz beside the source tree");
      return;
    }
    int compared = 0;
    int equal = 0;
    const Json document = Json::parse(text);
    for (const Json& plan : document.at("cases")) {
      if (plan.contains("error")) continue;
      const Json& parts = plan.at("partition");
      const std::string partitions =
          parts[0].get<std::string>() + "," + parts[1].get<std::string>() + "," + parts[2].get<std::string>();
      const int devices = plan.at("p").get<int>();
      const DistributedGemmPlan ours = plan_distributed_gemm(
          problem_of(plan.at("m"), plan.at("k"), plan.at("n"), partitions, devices,
                     kStationaryMethods.parse(plan.at("method").get<std::string>(), "method"), plan.at("replication")));
      INFO(plan.at("m") << "x" << plan.at("k") << "x" << plan.at("n") << " " << partitions << " on " << devices
                        << " devices, " << plan.at("method") << ", replication " << plan.at("replication"));
      const int replicas = (ours.method == DistributedMethod::kB ? ours.b : ours.c).replication();
      std::int64_t found_elements = 0;
      std::int64_t expected_elements = 0;
      for (int device = 0; device < devices; ++device) {
        const std::set<Fingerprint> expected = of_device(plan, ours, device);
        const std::set<Fingerprint> found = of_device(ours, device);
        // Replicas of the stationary matrix share the third dimension in another way there.
        if (replicas == 1) CHECK(found == expected);
        found_elements += remote_elements(found, device);
        expected_elements += remote_elements(expected, device);
      }
      CHECK(found_elements <= expected_elements + expected_elements / 25);
      if (replicas == 1) ++equal;
      ++compared;
    }
    CHECK(compared == 251);
    CHECK(equal > 100);
  }

  TEST_CASE("23.7 wrong input is refused with the option, what was expected and the nearest name") {
    const auto plan = [](std::array<int, 3> replication, int devices, std::int64_t m) {
      return error_of([&] {
        (void)plan_distributed_gemm(problem_of(m, 4, 4, "row,row,row", devices, DistributedMethod::kC, replication));
      });
    };
    CHECK(plan({1, 3, 1}, 4, 4) == "replication of B is 3: expected a divisor of the 4 devices");
    CHECK(plan({1, 1, 0}, 4, 4) == "replication of C is 0: expected a divisor of the 4 devices");
    CHECK(plan({1, 1, 1}, 0, 4) == "devices is 0: expected at least 1");
    CHECK(plan({1, 1, 1}, 4, 0) == "dimension m is 0: expected 1 to 1000000");
    CHECK(plan({4, 2, 1}, 4, 1).empty());
    CHECK(error_of([] { (void)parse_partitions("row,colum,row", "--partitions"); }) ==
          "--partitions: unknown partition 'colum': did you mean 'column'? There are: row, column, block");
    CHECK(error_of([] { (void)parse_partitions("row,row", "--partitions"); }) ==
          "--partitions: 'row,row': expected the partitions of A, B and C, as in row,column,row");
    CHECK(
        error_of([] { (void)kStationaryMethods.parse("stationary_d", "--methods"); }) ==
        "--methods: unknown method 'stationary_d': did you mean 'stationary_a'? There are: stationary_a, stationary_b, "
        "stationary_c, auto");
    CHECK(kStationaryMethods[kStationaryMethods.parse("stationary_b")] == "stationary_b");
    CHECK(kPartitions[kPartitions.parse("block")] == "block");
  }
}
