// Launches on one machine: which PEs they run on, when they start, what their calls cost, and how they end.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/system/run.hpp"
#include "tests/system/kernel_run.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

/// What two launches note down that run side by side, each on PEs of its own choice; or what ends them.
std::string side_by_side(const NotingProgram& first, std::vector<std::int32_t> first_pes, const NotingProgram& second,
                         std::vector<std::int32_t> second_pes) {
  return failure_of([&] {
    throw std::runtime_error(forked([&] {
      Notes notes;
      System system(one_die(), {.values = true});
      KernelLaunch one(
          "the first", [&](KernelPe pe) { return first(pe, &notes); }, std::move(first_pes));
      KernelLaunch two(
          "the second", [&](KernelPe pe) { return second(pe, &notes); }, std::move(second_pes));
      run_launches(system, {&one, &two});
      for (const Picoseconds end : one.ends()) notes.add(end);
      notes.add(two.end());
      return notes.text();
    }));
  });
}

/// Has ended at once, and leaves something on the calendar.
class LaunchWithAftermath : public Launch {
 public:
  void start(System& system) override {
    process_ = aftermath(&system.calendar());
    process_.start(system.calendar());
  }
  [[nodiscard]] bool done() const override { return true; }
  [[nodiscard]] Picoseconds end() const override { return {}; }
  [[nodiscard]] std::string what() const override { return "the launch"; }

 private:
  static Process aftermath(Calendar* calendar) { co_await calendar->delay(Picoseconds{5000}); }
  Process process_;
};

Process one_call(KernelPe pe, const char* name, Notes* notes) {
  notes->add(name);
  notes->add(co_await pe.wait(Pending::nothing()));
}

}  // namespace

TEST_SUITE("ADR-0028") {
  TEST_CASE("28.1 launches start at 0 in their order; on one PE the earlier one's calls come first") {
    const NotingProgram a = [](KernelPe pe, Notes* notes) { return one_call(pe, "a", notes); };
    const NotingProgram b = [](KernelPe pe, Notes* notes) { return one_call(pe, "b", notes); };
    CHECK(side_by_side(a, {3}, b, {3}) == "a b 2000 4000 2000 4000 ");  // one control processor
    CHECK(side_by_side(b, {3}, a, {3}) == "b a 2000 4000 2000 4000 ");
    CHECK(side_by_side(a, {3}, b, {4}) == "a b 2000 2000 2000 2000 ");
  }

  TEST_CASE("28.1 a launch that has not ended when nothing is left to happen is a deadlock, and named") {
    const NotingProgram ends = [](KernelPe pe, Notes* notes) { return one_call(pe, "a", notes); };
    const NotingProgram waits = [](KernelPe pe, Notes*) -> Process {
      if (pe.rank() == 0) co_await pe.recv(pe.tcm(1, 1), 1);
    };
    CHECK(side_by_side(ends, {0}, waits, {1, 2}) ==
          "deadlock: nothing is left to happen and the second has not ended:\n"
          "  the second, rank 0 (package0.die0.pe1) waits since 2 ns in recv from rank 1 on channel 0: rank 1 "
          "has sent nothing on it; it has ended\n");
  }

  TEST_CASE("28.1 where the limit is passed behind the last of the work, that is said") {
    const auto ends_with = [](Picoseconds limit) {
      return failure_of([&] {
        (void)forked([&] {
          System system(one_die(), {.values = true});
          LaunchWithAftermath launch;
          run_launches(system, {&launch}, limit);
          return std::string();
        });
      });
    };
    CHECK(ends_with(Picoseconds{5000}) == "");
    CHECK(ends_with(Picoseconds{4999}) ==
          "the simulation passed its time limit of 4.999 ns:\n"
          "  all work is done but its last effects, such as credits on their way back\n");
  }

  TEST_CASE("28.2 one PE alone has its TCM and its partition; another memory is not to be reached, and that is said") {
    const auto loads = [](SystemExtent extent, bool values) {
      return failure_of([&] {
        (void)forked([&] {
          RunSettings settings;
          settings.extent = extent;
          settings.verify = values;
          const auto kernel = [](KernelPe pe) -> Process {
            const MatrixLayout own = pe.hbm(1, 128);
            co_await pe.wait(co_await pe.load(own));
            const MatrixLayout other = own.at(plan_network(pe.machine()).find(NodeKind::kHbm, {0, 0, 5}), own.base);
            co_await pe.wait(co_await pe.load(other));
          };
          (void)run_kernel(one_die(), kernel, settings);
          return std::string();
        });
      });
    };
    for (const bool values : {false, true}) {
      CHECK(loads(SystemExtent::kWholeMachine, values) == "");
      const std::string refusal = loads(SystemExtent::kOnePe, values);
      CHECK(refusal.find("memory ") != std::string::npos);
      CHECK(refusal.find(" is not to be reached: a PE that was built alone has its TCM and its own partition") !=
            std::string::npos);
    }
  }

  TEST_CASE("28.4 rank r runs on the r-th PE of the launch, and each ends for itself") {
    const NotingProgram program = [](KernelPe pe, Notes*) -> Process {
      for (std::int32_t call = 0; call <= pe.size() * pe.rank(); ++call) co_await pe.wait(Pending::nothing());
    };
    const NotingProgram nothing = [](KernelPe, Notes*) -> Process { co_return; };
    CHECK(side_by_side(program, {6, 2, 4}, nothing, {}) == "2000 8000 14000 0 ");
    // From PE 6 to PE 7 a message takes less than from PE 6 to PE 0.
    const auto message_to = [&](std::int32_t pe) {
      const NotingProgram sends = [](KernelPe rank, Notes* notes) -> Process {
        const MatrixLayout row = rank.tcm(1, 1);
        if (rank.rank() == 0) {
          static_cast<void>(co_await rank.send(row, 1));
        } else {
          notes->add(co_await rank.recv(row, 0));
        }
      };
      return std::stoll(side_by_side(sends, {6, pe}, nothing, {}));
    };
    CHECK(message_to(0) - message_to(7) == 2 * (2000 + 40));  // three links between routers, not one
  }

  TEST_CASE("28.5 what is awaited costs the control processor; the rest costs nothing") {
    CHECK(notes_of(2, [](KernelPe pe, Notes* notes) -> Process {
            const MatrixLayout row = pe.tcm(1, 8);
            if (pe.rank() == 1) {
              co_await pe.recv(row, 0);
              co_return;
            }
            const MatrixLayout home = pe.hbm(1, 8);
            pe.fill(row, [](std::int64_t, std::int64_t) { return 1.0F; });
            pe.expect(row, [](std::int64_t, std::int64_t) { return 1.0F; });
            static_cast<void>(pe.of(1, row));
            pe.release(pe.tcm(4, 4));
            notes->add(co_await pe.wait(Pending::nothing()));
            const Operand loaded = co_await pe.load(home);
            static_cast<void>(co_await pe.ref(home));
            static_cast<void>(co_await pe.send(row, 1));
            static_cast<void>(co_await pe.store(row, pe.hbm(1, 8)));
            notes->add(co_await pe.wait(Pending::nothing()));
            co_await pe.wait(loaded);
          }) == "2000 12000 ");
  }

  TEST_CASE("28.6 of two queues that ask at one instant the lower number, sender x n + receiver, is first") {
    const MachineSpec machine = one_die({"pe.control_latency=0 ns"});
    const auto left = [&](std::int32_t first, std::int32_t second, std::int32_t second_channel) {
      return notes_of(
          3,
          [=](KernelPe pe, Notes* notes) -> Process {
            const MatrixLayout row = pe.tcm(1, 2048);
            if (pe.rank() == 0) {
              const Pending one = co_await pe.send(row, first);
              const Pending two = co_await pe.send(row, second, second_channel);
              const Picoseconds one_left = co_await pe.wait(one);
              notes->add(one_left);
              notes->add(co_await pe.wait(two));
            }
            if (pe.rank() == first) co_await pe.recv(row, 0);
            if (pe.rank() == second) co_await pe.recv(row, 0, second_channel);
          },
          machine);
    };
    // 4 ns to set up, 8 in the port, both for each; who waits for the later one first sees both at that time.
    CHECK(left(1, 2, 0) == "12000 20000 ");
    CHECK(left(2, 1, 0) == "20000 20000 ");
    CHECK(left(1, 1, -7) == "12000 20000 ");  // of one number: as they were sent
  }

  TEST_CASE("28.7 the place of a matrix in another rank's memory has the same address") {
    CHECK(notes_of(2,
                   [](KernelPe pe, Notes* notes) -> Process {
                     const MatrixLayout spare = pe.tcm(1, 1);
                     const MatrixLayout tcm = pe.tcm(1, 128);
                     const MatrixLayout hbm = pe.hbm(1, 128);
                     if (pe.rank() == 1) {
                       pe.fill(tcm, [](std::int64_t, std::int64_t) { return 5.0F; });
                       pe.fill(hbm, [](std::int64_t, std::int64_t) { return 6.0F; });
                       co_return;
                     }
                     pe.fill(pe.of(0, tcm), [](std::int64_t, std::int64_t) { return 7.0F; });
                     pe.expect(tcm, [](std::int64_t, std::int64_t) { return 7.0F; });
                     co_await pe.wait(Pending::nothing());
                     pe.expect(pe.of(1, tcm), [](std::int64_t, std::int64_t) { return 5.0F; });
                     pe.expect(pe.of(1, hbm), [](std::int64_t, std::int64_t) { return 6.0F; });
                     pe.expect(spare, [](std::int64_t, std::int64_t) { return 0.0F; });
                     notes->add("not told");
                   }) ==
          "the kernel, rank 0, at 2 ns: verification failed: 1 of 1 elements are wrong; first: element [0][0] is what "
          "nobody has written, expected 0.000000");
  }
}
