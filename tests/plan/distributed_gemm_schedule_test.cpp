// The commands of a distributed GEMM: right values in every order that queues and waits allow, and the bytes they move.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "sim/plan/distributed_gemm/schedule.hpp"
#include "tests/plan/random_distributed_gemm.hpp"

using namespace kernbench;

namespace {

constexpr std::int64_t kGarbage = 1'000'003;  // what a buffer holds that nobody wrote

struct Matrix {
  std::int64_t columns = 0;
  std::vector<std::int64_t> values;
  Matrix() = default;
  Matrix(std::int64_t rows, std::int64_t width)
      : columns(width), values(static_cast<std::size_t>(rows * width), kGarbage) {}
  std::int64_t& at(std::int64_t row, std::int64_t column) {
    return values.at(static_cast<std::size_t>(row * columns + column));
  }
};

Matrix random_matrix(std::int64_t rows, std::int64_t columns) {
  Matrix matrix(rows, columns);
  for (std::int64_t& value : matrix.values) value = *rc::gen::inRange<std::int64_t>(-9, 10);
  return matrix;
}

Matrix product(Matrix& a, Matrix& b, const DistributedGemm& problem) {
  Matrix c(problem.m, problem.n);
  for (std::int64_t i = 0; i < problem.m; ++i) {
    for (std::int64_t j = 0; j < problem.n; ++j) {
      c.at(i, j) = 0;
      for (std::int64_t l = 0; l < problem.k; ++l) c.at(i, j) += a.at(i, l) * b.at(l, j);
    }
  }
  return c;
}

/// Devices' memories; carries out commands at once.
class Memories {
 public:
  Memories(const DistributedGemmPlan& plan, const CommandList& list, Matrix& a, Matrix& b) {
    for (const auto& [id, shape] : list.buffers()) buffers_[id] = Matrix(shape.rows, shape.columns);
    for (int device = 0; device < static_cast<int>(plan.devices.size()); ++device) {
      place(device, BufferKind::kA, plan.a, a);
      place(device, BufferKind::kB, plan.b, b);
      const Rect c = plan.c.tile(plan.c.tile_of(device));
      buffers_[{device, BufferKind::kC, 0}] = Matrix(c.rows.size(), c.columns.size());
    }
  }

  Matrix& at(const BufferId& id) { return buffers_.at(id); }

  void run(const Command& command) {
    const Rect& to = command.out.rect;
    Matrix& out = at(command.out.buffer);
    for (std::int64_t i = 0; i < to.rows.size(); ++i) {
      for (std::int64_t j = 0; j < to.columns.size(); ++j) {
        std::int64_t& value = out.at(to.rows.begin + i, to.columns.begin + j);
        if (command.kind == CommandKind::kZero) value = 0;
        if (command.kind == CommandKind::kCopy) value = read(command.in, i, j);
        if (command.kind == CommandKind::kAdd) value += read(command.in, i, j);
        if (command.kind != CommandKind::kMultiply) continue;
        if (!command.accumulate) value = 0;
        for (std::int64_t l = 0; l < command.in.rect.columns.size(); ++l) {
          value += read(command.in, i, l) * read(command.second, l, j);
        }
      }
    }
  }

 private:
  void place(int device, BufferKind kind, const DistributedMatrix& layout, Matrix& whole) {
    const Rect tile = layout.tile(layout.tile_of(device));
    Matrix& mine = buffers_[{device, kind, 0}] = Matrix(tile.rows.size(), tile.columns.size());
    for (std::int64_t i = 0; i < tile.rows.size(); ++i) {
      for (std::int64_t j = 0; j < tile.columns.size(); ++j) {
        mine.at(i, j) = whole.at(tile.rows.begin + i, tile.columns.begin + j);
      }
    }
  }
  std::int64_t read(const BufferPart& place, std::int64_t i, std::int64_t j) {
    return at(place.buffer).at(place.rect.rows.begin + i, place.rect.columns.begin + j);
  }

  std::map<BufferId, Matrix> buffers_;
};

/// The commands in a random order that queues and waits allow.
std::vector<int> random_order(const std::vector<Command>& commands) {
  std::map<std::pair<int, QueueKind>, std::vector<int>> queues;
  for (int i = 0; i < static_cast<int>(commands.size()); ++i) {
    const Command& command = commands[static_cast<std::size_t>(i)];
    queues[{command.device, command.queue}].push_back(i);
  }
  std::map<std::pair<int, QueueKind>, std::size_t> next;
  std::set<int> done;
  std::vector<int> order;
  while (order.size() < commands.size()) {
    std::vector<std::pair<int, QueueKind>> ready;
    for (const auto& [queue, waiting] : queues) {
      if (next[queue] == waiting.size()) continue;
      const Command& command = commands[static_cast<std::size_t>(waiting[next[queue]])];
      const auto over = [&done](int wait) { return done.contains(wait); };
      if (std::all_of(command.waits.begin(), command.waits.end(), over)) ready.push_back(queue);
    }
    REQUIRE_FALSE(ready.empty());
    const auto queue = *rc::gen::elementOf(ready);
    order.push_back(queues[queue][next[queue]++]);
    done.insert(order.back());
  }
  return order;
}

CommandList schedule(const DistributedGemm& problem) {
  return schedule_distributed_gemm(plan_distributed_gemm(problem));
}

}  // namespace

TEST_SUITE("ADR-0023") {
  TEST_CASE("23.6 23.11 every replica of C ends with the product, in whatever order queues and waits allow") {
    CHECK(rc::check("values", [] {
      const DistributedGemm problem = *rc::gen::arbitrary<bool>() ? random_dtensor(12) : random_distributed_gemm(12);
      const DistributedGemmPlan plan = plan_distributed_gemm(problem);
      const CommandList list = schedule_distributed_gemm(plan);
      Matrix a = random_matrix(problem.m, problem.k);
      Matrix b = random_matrix(problem.k, problem.n);
      Matrix c = product(a, b, problem);
      Memories memories(plan, list, a, b);
      for (const int i : random_order(list.commands())) memories.run(list.commands()[static_cast<std::size_t>(i)]);
      for (int device = 0; device < problem.devices; ++device) {
        const Rect tile = plan.c.tile(plan.c.tile_of(device));
        Matrix& mine = memories.at({device, BufferKind::kC, 0});
        for (std::int64_t i = 0; i < tile.rows.size(); ++i) {
          for (std::int64_t j = 0; j < tile.columns.size(); ++j) {
            RC_ASSERT(mine.at(i, j) == c.at(tile.rows.begin + i, tile.columns.begin + j));
          }
        }
      }
    }));
  }

  TEST_CASE("23.8 closed forms of the bytes that a device receives") {
    const auto traffic = [](const std::string& partitions, DistributedMethod method, std::array<int, 3> replication) {
      const DistributedGemm problem{64, 32, 128, parse_partitions(partitions, ""), replication, method, 4};
      return traffic_of(schedule(problem), 4, {2, 4});
    };
    constexpr Bytes kA = 64 * 32 * 2;
    constexpr Bytes kB = 32 * 128 * 2;
    constexpr Bytes kC = 64 * 128 * 4;
    for (int device = 0; device < 4; ++device) {
      const auto received = [&](const std::string& partitions, DistributedMethod method,
                                std::array<int, 3> replication = {1, 1, 1}) {
        const DeviceTraffic one = traffic(partitions, method, replication)[static_cast<std::size_t>(device)];
        CHECK(one.received == one.sent);
        return one.received;
      };
      // Stationary C: all of B but the own part; A is there.
      CHECK(received("row,column,row", DistributedMethod::kC) == kB * 3 / 4);
      CHECK(received("row,row,row", DistributedMethod::kC) == kB * 3 / 4);
      CHECK(received("row,column,row", DistributedMethod::kC, {4, 1, 1}) == kB * 3 / 4);
      CHECK(received("row,row,row", DistributedMethod::kC, {1, 4, 1}) == 0);
      // A block of C takes half of A and half of B, of which half is there.
      CHECK(received("block,block,block", DistributedMethod::kC) == kA / 4 + kB / 4);
      // Stationary A: B comes. Stationary B: A comes and what B gives of C goes.
      CHECK(received("row,column,row", DistributedMethod::kA) == kB * 3 / 4);
      CHECK(received("row,column,row", DistributedMethod::kB) == kA * 3 / 4 + kC / 4 * 3 / 4);
      // A column of A and a row of B give a part of all of C, to everybody.
      CHECK(received("column,row,row", DistributedMethod::kA) == kC * 3 / 4);
      // Whole operands everywhere: a quarter of K each, then the sum: a quarter of C from each other device, twice.
      CHECK(received("row,row,row", DistributedMethod::kC, {4, 4, 4}) == kC * 3 / 4 * 2);
    }
  }

  TEST_CASE("23.8 parts that lie in one of the two buffers are not fetched again") {
    // C block (0, 0) takes two tiles of A and two of B: four products, and each remote tile once.
    const DistributedGemm problem{8, 8, 8, parse_partitions("row,column,block", ""), {1, 1, 1}, DistributedMethod::kC,
                                  4};
    const std::vector<DeviceTraffic> traffic = traffic_of(schedule(problem), 4, {2, 4});
    CHECK(traffic[0].received == (2 * 8 + 2 * 8) * 2);
    CHECK(traffic[3].received == (2 * 8 + 2 * 8) * 2);
  }

  TEST_CASE("23.6 tiles that are written for the first time are not zeroed; tiles that nobody writes are") {
    const auto zeroed = [](const DistributedGemm& problem) {
      const CommandList list = schedule(problem);
      return std::count_if(list.commands().begin(), list.commands().end(),
                           [](const Command& command) { return command.kind == CommandKind::kZero; });
    };
    DistributedGemm problem{8, 8, 8, parse_partitions("row,column,row", ""), {1, 1, 1}, DistributedMethod::kB, 4};
    CHECK(zeroed(problem) == 0);
    problem.replication = {1, 1, 4};  // of replicated C each device writes what its own tile of B gives
    CHECK(zeroed(problem) == 4);
  }

  TEST_CASE("23.6 a command waits for no later one, and for none of its own queue; a copy leaves its device") {
    CHECK(rc::check("waits", [] {
      const CommandList list = schedule(random_distributed_gemm(12));
      for (std::size_t i = 0; i < list.commands().size(); ++i) {
        const Command& command = list.commands()[i];
        RC_ASSERT(command.kind != CommandKind::kCopy || command.in.buffer.device != command.out.buffer.device);
        for (const int wait : command.waits) {
          RC_ASSERT(wait < static_cast<int>(i));
          const Command& other = list.commands()[static_cast<std::size_t>(wait)];
          RC_ASSERT(other.device != command.device || other.queue != command.queue);
        }
      }
    }));
  }
}
