// From rows of probes to a GPU's file: what is found in them, what is taken of it, and how bad rows are refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "benches/io/files/write_file.hpp"
#include "benches/measured/probes/probe_cases.hpp"
#include "benches/measured/probes/probed_gpu.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/base/text.hpp"
#include "tests/support/temporary_folder.hpp"

using kernbench::ChosenNumber;
using kernbench::ConfigError;
using kernbench::Json;
using kernbench::NumberSource;
using kernbench::ProbeFinding;
using kernbench::Results;
using kernbench::Row;

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = kernbench::source_dir();

Row probe_row(Json point, Json metrics) {
  Row row;
  row.point = std::move(point);
  row.metrics.json() = std::move(metrics);
  return row;
}

/// A GPU of 8 SMs with an L2 of 8 MiB.
Results small_gpu() {
  Results rows;
  rows.bench = kernbench::kProbeBench;
  rows.rows.push_back(probe_row({{"probe", "device"}}, {{"name", "Small"},
                                                        {"sms", 8},
                                                        {"sm_clock_mhz", 1500},
                                                        {"l2_bytes", 8 << 20},
                                                        {"memory_bytes", 1LL << 30},
                                                        {"shared_memory_bytes", 102400},
                                                        {"registers", 65536},
                                                        {"threads", 2048},
                                                        {"cta_slots", 16}}));
  return rows;
}

Row read_row(double mib, double gbs) {
  return probe_row({{"probe", "read"}, {"bytes", static_cast<std::int64_t>(mib * (1 << 20))}},
                   {{"gbs", gbs}, {"spread", 0.01}});
}

const ProbeFinding* finding(const std::vector<ProbeFinding>& all, const std::string& key) {
  const auto found = std::ranges::find(all, key, &ProbeFinding::key);
  return found == all.end() ? nullptr : &*found;
}

kernbench::LoadedGpu h200_file() { return kernbench::load_gpu((kRoot / "topology/h200.yaml").string()); }

double value(const Results& rows, const std::string& key) {
  const auto all = kernbench::probe_findings(rows, "p.json", h200_file().spec);
  const ProbeFinding* found = finding(all, key);
  REQUIRE_MESSAGE(found != nullptr, key);
  return found->value;
}

bool is_found(const Results& rows, const std::string& key) {
  return finding(kernbench::probe_findings(rows, "p.json", h200_file().spec), key) != nullptr;
}

std::string refused(const Results& rows) {
  try {
    static_cast<void>(kernbench::probe_findings(rows, "p.json", h200_file().spec));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

Results h100_rows() {
  return kernbench::read_results(kRoot / "benches/reference/nvidia-h100-80gb-hbm3/probes/probes.json");
}

const ChosenNumber& number(const std::vector<ChosenNumber>& all, const std::string& key) {
  const auto found = std::ranges::find(all, key, &ChosenNumber::key);
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_SUITE("ADR-0054") {
  TEST_CASE("54.1 each probe of a GPU is one point, the device first and the governor before what warms it up") {
    const auto cases = kernbench::probe_cases(132, 4, false);
    CHECK(cases[0].point == Json({{"probe", "device"}}));
    CHECK(cases[1].point.at("probe") == "governor");
    std::set<std::string> points;
    double seconds = 0;
    for (const auto& planned : cases) {
      points.insert(planned.point.dump());
      seconds += planned.estimate_s;
    }
    CHECK(points.size() == cases.size());
    CHECK(seconds < 60);
    CHECK(kernbench::probe_cases(132, 4, true).size() < 15);
    for (const auto& planned : kernbench::probe_cases(1, 1, false)) CHECK(planned.point.value("sms", 1) >= 0);
    const auto collectives = [](int gpus) {
      return std::ranges::count_if(kernbench::probe_cases(132, gpus, false),
                                   [](const auto& planned) { return planned.point.at("probe") == "nccl"; });
    };
    CHECK(collectives(4) == 6);
    CHECK(collectives(1) == 1);  // which says that it needs two
  }

  TEST_CASE("54.2 what the driver says is data sheet") {
    const auto all = kernbench::probe_findings(small_gpu(), "p.json", h200_file().spec);
    CHECK(all.size() == 8);
    for (const ProbeFinding& one : all) CHECK(one.from == NumberSource::kDataSheet);
    CHECK(value(small_gpu(), "sm.clock") == doctest::Approx(1.5));
    CHECK(value(small_gpu(), "hbm.capacity") == 1 << 30);
    CHECK_FALSE(is_found(small_gpu(), "power.limit"));
  }

  TEST_CASE("54.3 HBM by the largest footprint, the L2's footprint by where a quarter and three quarters miss") {
    Results rows = small_gpu();
    // 4000 GB/s from the L2, 1000 from HBM: all found to 6 MiB, nothing from 10 MiB on.
    for (const double mib : {2.0, 6.0, 7.0, 8.0, 9.0, 10.0, 256.0}) {
      const double missing = std::clamp((mib - 6) / 4, 0.0, 1.0);
      rows.rows.push_back(read_row(mib, 1 / (missing / 1000 + (1 - missing) / 4000)));
    }
    CHECK(value(rows, "hbm.bandwidth") == doctest::Approx(1000));
    CHECK(value(rows, "l2.resident") == doctest::Approx(6 << 20));
    CHECK(value(rows, "l2.spill") == doctest::Approx(4 << 20));
    rows.rows.pop_back();
    CHECK_FALSE(is_found(rows, "hbm.bandwidth"));  // 10 MiB are no measure of HBM
  }

  TEST_CASE("54.4 lines: an SM's own rate in one cluster, the L2's with all SMs at once") {
    Results rows = small_gpu();
    const auto lines = [&](int sms, int cluster, const char* pattern, double cycles, double ns) {
      rows.rows.push_back(probe_row({{"probe", "lines"}, {"sms", sms}, {"cluster", cluster}, {"pattern", pattern}},
                                    {{"cycles_per_line", cycles}, {"ns_per_line", ns}}));
    };
    lines(1, 1, "same", 2.0, 1.0);
    lines(2, 2, "same", 1.5, 0.8);
    lines(8, 2, "same", 1.0, 0.5);  // four clusters
    CHECK(value(rows, "sm.receive") == doctest::Approx(1.5));
    CHECK_FALSE(is_found(rows, "l2.request"));
    lines(8, 1, "same", 2.5, 1.25);
    lines(8, 1, "own", 5, 2.5);
    CHECK(value(rows, "l2.request") == doctest::Approx(1.25));
    CHECK_FALSE(finding(kernbench::probe_findings(rows, "p.json", h200_file().spec), "l2.request")->meant);
  }

  TEST_CASE("54.5 launches: a line through kernels of up to one CTA on each SM") {
    Results rows = small_gpu();
    for (const int ctas : {1, 4, 8, 16}) {
      const double ns = ctas == 16 ? 9999 : 700 + 3.0 * ctas;
      rows.rows.push_back(
          probe_row({{"probe", "launch"}, {"ctas", ctas}, {"shared_bytes", 204800}}, {{"time_ns", ns}}));
    }
    CHECK(value(rows, "launch.cta") == doctest::Approx(3));
    CHECK(value(rows, "launch.kernel") == doctest::Approx(700));
    CHECK_FALSE(finding(kernbench::probe_findings(rows, "p.json", h200_file().spec), "launch.kernel")->meant);
  }

  TEST_CASE("54.6 tensor rates are a power of two where they are near one") {
    for (const auto& [counted, taken] : {std::pair{2041.0, 2048.0}, {1500.0, 1500.0}}) {
      Results rows = small_gpu();
      rows.rows.push_back(probe_row({{"probe", "tensor"}, {"dtype", "bf16"}, {"n", 256}},
                                    {{"macs_per_cycle", counted}, {"clock_mhz", 1700}}));
      CHECK(value(rows, "tensor.bf16.macs") == taken);
      CHECK_FALSE(is_found(rows, "tensor.fp8.macs"));
    }
  }

  TEST_CASE("54.7 the peak is what the base's energies say of the clock until three kernels in a row are 2 % slower") {
    Results rows = small_gpu();
    rows.rows[0].metrics.json()["sms"] = 132;
    rows.rows.push_back(probe_row({{"probe", "idle"}}, {{"power_w", 100}, {"clock_mhz", 1980}}));
    Row governor = probe_row({{"probe", "governor"}}, {{"kernels", 100}});
    Json at = Json::array();
    Json clock = Json::array();
    for (int i = 0; i < 100; ++i) {
      at.push_back(2.0 * i);
      clock.push_back(i < 2 ? 300 : (i < 40 ? (i == 20 ? 1000 : 1800) : 1500));
    }
    governor.timeline = {{"at_ms", at}, {"clock_mhz", clock}};
    rows.rows.push_back(governor);
    const kernbench::GpuSpec base = h200_file().spec;
    // pJ a FLOP, FLOP a ns; 2,048 multiply-accumulates of 132 SMs in each of 1.8 cycles a ns.
    const double watts = 100 + base.tensor.bf16.energy * 2 * 2048 * 132 * 1.8 / 1000 *
                                   std::pow(1.8 / base.power.clock, base.power.exponent);
    CHECK(value(rows, "power.peak") == doctest::Approx(watts));
    const auto all = kernbench::probe_findings(rows, "p.json", base);
    CHECK(finding(all, "power.peak")->note.find("at 1800 MHz in the first 80 ms from idle") != std::string::npos);
    CHECK(finding(all, "power.peak")->note.find("1500 MHz over the second half") != std::string::npos);
    CHECK(value(rows, "power.period") == 80e6);
    CHECK_FALSE(finding(all, "power.period")->meant);
    rows.rows.back().timeline["clock_mhz"].erase(0);
    CHECK(refused(rows).find("expected at_ms and clock_mhz of 50 kernels or more") != std::string::npos);
  }

  TEST_CASE("54.7 a clock that never falls says nothing of the governor's period") {
    Results rows = small_gpu();
    Row governor = probe_row({{"probe", "governor"}}, {{"kernels", 60}});
    Json at = Json::array();
    Json clock = Json::array();
    for (int i = 0; i < 60; ++i) {
      at.push_back(2.0 * i);
      clock.push_back(1800);
    }
    governor.timeline = {{"at_ms", at}, {"clock_mhz", clock}};
    rows.rows.push_back(governor);
    CHECK_FALSE(is_found(rows, "power.period"));
    CHECK(is_found(rows, "power.peak"));
  }

  TEST_CASE("54.11 collectives: start and hop of the smallest, reads and writes of one channel") {
    const kernbench::GpuSpec base = h200_file().spec;
    for (const int gpus : {2, 4, 8}) {
      Results rows = small_gpu();
      const auto nccl = [&](const char* collective, int channels, std::int64_t bytes, double ns) {
        rows.rows.push_back(probe_row(
            {{"probe", "nccl"}, {"gpus", gpus}, {"collective", collective}, {"channels", channels}, {"bytes", bytes}},
            {{"time_ns", ns}, {"spread", 0.01}}));
      };
      const auto small = [&](const char* collective, bool reduces) {
        const double written = 1024.0 / gpus * (reduces ? 3 * gpus - 2 : 2 * gpus - 1) / base.nccl.ll_write;
        nccl(collective, 0, 1024, 5000 + 600 * (reduces ? 2 : 1) * (gpus - 1) + written);
      };
      const auto large = [&](const char* collective, bool reduces, std::int64_t bytes) {
        const double reads = reduces ? 3 * gpus - 2 : gpus;
        const double writes = reduces ? 3 * gpus - 2 : 2 * gpus - 1;
        nccl(collective, 1, bytes, 30'000 + static_cast<double>(bytes) / gpus * (reads / 150 + writes / 50));
      };
      for (const auto& [collective, reduces] : {std::pair{"all_reduce", true}, {"all_gather", false}}) {
        small(collective, reduces);
        for (const std::int64_t bytes : kernbench::probed_sizes(gpus)) large(collective, reduces, bytes);
      }
      CHECK(value(rows, "nccl.small_start") == doctest::Approx(5000));
      CHECK(value(rows, "nccl.small_hop") == doctest::Approx(600));
      CHECK(value(rows, "nccl.read") == doctest::Approx(150));
      CHECK(value(rows, "nccl.write") == doctest::Approx(50));
      // Of other GPUs than the rest, and all_gathers that take no time: no finding.
      rows.rows.back().point["gpus"] = 3;
      CHECK_FALSE(is_found(rows, "nccl.read"));
      rows.rows.back().point["gpus"] = gpus;
      rows.rows.back().metrics.json()["time_ns"] = 1;
      CHECK_FALSE(is_found(rows, "nccl.write"));
    }
  }

  TEST_CASE("54.11 four H200s: what a channel does by its probe is near what is fitted") {
    const std::string file = (kRoot / "benches/reference/nvidia-h200/probes/probes.json").string();
    const Results rows = kernbench::read_results(file);
    const kernbench::GpuNccl& fitted = h200_file().spec.nccl;
    CHECK(value(rows, "nccl.read") == doctest::Approx(174.9).epsilon(0.001));
    CHECK(value(rows, "nccl.write") == doctest::Approx(54.7).epsilon(0.001));
    CHECK(value(rows, "nccl.small_start") == doctest::Approx(4950).epsilon(0.001));
    CHECK(value(rows, "nccl.small_hop") == doctest::Approx(697).epsilon(0.001));
    for (const auto& [key, number] : {std::pair{"nccl.read", fitted.read},
                                      {"nccl.write", fitted.write},
                                      {"nccl.small_start", fitted.small_start},
                                      {"nccl.small_hop", fitted.small_hop}}) {
      CHECK(value(rows, key) == doctest::Approx(number).epsilon(0.11));
    }
    CHECK(value(rows, "power.period") == doctest::Approx(h200_file().spec.power.period).epsilon(0.02));
  }

  TEST_CASE("54.8 rows that are none of probes, or lack their numbers, are refused; failed ones say nothing") {
    Results rows = small_gpu();
    rows.bench = "gpu-copy";
    CHECK(refused(rows) == "p.json: bench: expected gpu-probes, got gpu-copy");
    rows = small_gpu();
    rows.rows[0].metrics.json().erase("sms");
    CHECK(refused(rows) == "p.json: rows[0]: sms: expected a number above 0, which is missing");
    rows = small_gpu();
    rows.rows.push_back(read_row(4096, 1));
    rows.rows[1].metrics.json()["gbs"] = "fast";
    CHECK(refused(rows) == "p.json: rows[1]: gbs: expected a number above 0, got \"fast\"");
    rows.rows[1].status = "failed";
    CHECK(refused(rows).empty());
    rows.rows[0].status = "failed";
    CHECK(refused(rows) == "p.json: no good row of the probe 'device', which says what the GPU is");
    rows.rows[0].point.erase("probe");
    CHECK(refused(rows) == "p.json: rows[0].point.probe: expected the name of a probe");
  }

  TEST_CASE("54.9 a key takes the driver's word, a probe that is what it means, or the base's number") {
    const auto findings = kernbench::probe_findings(h100_rows(), "p.json", h200_file().spec);
    const auto numbers = kernbench::choose_numbers(findings, h200_file(), {});
    CHECK(number(numbers, "l2.capacity").origin.written == "50 MiB");
    CHECK(number(numbers, "hbm.bandwidth").origin.from == NumberSource::kProbe);
    CHECK(number(numbers, "hbm.bandwidth").apart ==
          doctest::Approx(3135.0 / h200_file().spec.hbm.bandwidth - 1).epsilon(0.001));
    CHECK(number(numbers, "l2.request").probed == "797 ps");
    CHECK_FALSE(number(numbers, "l2.request").taken);
    CHECK(number(numbers, "l2.request").origin.note == h200_file().origins.at("l2.request").note + "; as of h200");
    CHECK(number(numbers, "tensor.fp16.share").origin.from == NumberSource::kSame);
    const auto asked = kernbench::choose_numbers(findings, h200_file(), {{"l2.request"}, {"hbm.bandwidth"}});
    CHECK(number(asked, "l2.request").origin.written == "797 ps");
    CHECK(number(asked, "hbm.bandwidth").origin.written == number(asked, "hbm.bandwidth").base);
    for (const ChosenNumber& one : kernbench::choose_numbers(findings, h200_file(), {{"all"}, {}})) {
      CHECK(one.taken == !one.probed.empty());
    }
    CHECK_THROWS_WITH_AS((void)kernbench::choose_numbers(findings, h200_file(), {{"l2.requets"}, {}}),
                         doctest::Contains("--take: unknown key of a GPU 'l2.requets': did you mean 'l2.request'?"),
                         ConfigError);
    CHECK_THROWS_WITH_AS((void)kernbench::choose_numbers(findings, h200_file(), {{}, {"sm.store"}}),
                         "--keep: no good row measures 'sm.store'", ConfigError);
  }

  TEST_CASE("54.9 a GPU of other size: clusters reach the base's share of its SMs") {
    const auto numbers =
        kernbench::choose_numbers(kernbench::probe_findings(small_gpu(), "p.json", h200_file().spec), h200_file(), {});
    CHECK(number(numbers, "sm.clustered").origin.written == "7");
    CHECK(number(numbers, "sm.clustered").origin.from == NumberSource::kAssumed);
  }

  TEST_CASE("54.10 the file is read back before it takes its name") {
    const TemporaryFolder folder;
    const auto numbers =
        kernbench::choose_numbers(kernbench::probe_findings(h100_rows(), "p.json", h200_file().spec), h200_file(), {});
    const std::string text = kernbench::format_gpu_file(numbers, "mine", "made by a test");
    const fs::path file = folder.path() / "mine.yaml";
    kernbench::write_gpu_file(file, text);
    const kernbench::LoadedGpu gpu = kernbench::load_gpu(file.string());
    CHECK(gpu.spec.name == "mine");
    CHECK(gpu.bases.empty());
    CHECK(gpu.origins.size() == h200_file().origins.size());
    for (const ChosenNumber& one : numbers) {
      CHECK(gpu.origins.at(one.key).written == one.origin.written);
      CHECK(gpu.origins.at(one.key).from == one.origin.from);
    }
    // More SMs in clusters than there are: the old file stays, and nothing else.
    std::string wrong = text;
    wrong.replace(wrong.find("count: {is: 132"), 15, "count: {is: 100");
    CHECK_THROWS_AS(kernbench::write_gpu_file(file, wrong), ConfigError);
    CHECK(kernbench::read_file(file) == text);
    CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
  }

  TEST_CASE("54.10 each number is told beside the base's, with what was taken") {
    const auto numbers =
        kernbench::choose_numbers(kernbench::probe_findings(h100_rows(), "p.json", h200_file().spec), h200_file(), {});
    const std::string table = kernbench::choice_table(numbers).format(kernbench::Terminal{});
    CHECK(table.find("hbm.bandwidth") != std::string::npos);
    CHECK(table.find(kernbench::formatted("%+.1f %%", number(numbers, "hbm.bandwidth").apart * 100)) !=
          std::string::npos);
    CHECK(table.find("base: fit") != std::string::npos);
    CHECK(static_cast<std::size_t>(std::ranges::count(table, '\n')) >= numbers.size() + 2);
  }
}
