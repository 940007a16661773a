// NCCL's time in closed form (adr/0051): by hand, and against measured rows.
#include "sim/plan/gpu/nccl.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "sim/base/errors.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

using namespace kernbench;

namespace {

const GpuSpec& four() {
  static const GpuSpec kGpu = load_gpu(kernbench::source_dir() + "/topology/h200_x4.yaml").spec;
  return kGpu;
}

NcclTime time_of(Collective collective, Bytes bytes, std::int64_t gpus = 4, std::int64_t channels = 0) {
  return nccl_time({.collective = collective, .gpus = gpus, .bytes = bytes, .channels = channels}, four());
}

NcclProtocol protocol_of(Collective collective, Bytes bytes, std::int64_t gpus = 4) {
  return choose_nccl_protocol({.collective = collective, .gpus = gpus, .bytes = bytes}, four().nccl);
}

struct MeasuredCollective {
  NcclCollective asked;
  double ns = 0;
  std::string setting = {};
};

bool ring_of_three(Collective collective) {
  return collective == Collective::kAllReduce || collective == Collective::kAllGather ||
         collective == Collective::kReduceScatter;
}

/// The committed rows but those of trees, which are not modelled.
std::vector<MeasuredCollective> committed_collectives() {
  static const std::map<std::string, std::int64_t> kChannels{{"default", 0},
                                                             {"ring", 0},
                                                             {"channels_16", 16},
                                                             {"channels_4", 4},
                                                             {"graph", 0},
                                                             {"graph_channels_1", 1},
                                                             {"graph_channels_16", 16},
                                                             {"graph_channels_4", 4}};
  std::ifstream in(kernbench::source_dir() + "/benches/reference/nvidia-h200/collectives.json");
  std::vector<MeasuredCollective> rows;
  const auto data = nlohmann::json::parse(in);
  for (const auto& row : data.at("rows")) {
    const auto& point = row.at("point");
    const std::string setting = point.at("setting");
    std::smatch threads;  // graph_channels_8_threads_256
    const bool fewer = std::regex_match(setting, threads, std::regex("graph_channels_(\\d+)_threads_(\\d+)"));
    if (!fewer && !kChannels.contains(setting)) continue;
    const NcclCollective asked{.collective = kCollectives.parse(point.at("collective").get<std::string>()),
                               .gpus = point.at("gpus"),
                               .bytes = point.at("bytes"),
                               .channels = fewer ? std::stoll(threads[1]) : kChannels.at(setting),
                               .threads = fewer ? std::stoll(threads[2]) : 0};
    rows.push_back({asked, row.at("metrics").at("time_ns"), setting});
  }
  return rows;
}

std::vector<MeasuredCollective> unseen_collectives() {
  std::vector<MeasuredCollective> rows = committed_collectives();
  std::erase_if(
      rows, [](const MeasuredCollective& row) { return row.setting == "graph_channels_1" || row.asked.threads > 0; });
  return rows;
}

/// Those of one channel, and of h200_calibration those that do not go by LL; none where that is not there.
std::vector<MeasuredCollective> fitted_collectives() {
  const auto folder = std::filesystem::path(kernbench::source_dir()) / "../shared/data/h200_calibration";
  if (!std::filesystem::exists(folder)) {
    MESSAGE("skipped: there is no ../shared/data/h200_calibration beside the source tree");
    return {};
  }
  std::vector<MeasuredCollective> rows = committed_collectives();
  std::erase_if(rows, [](const MeasuredCollective& row) { return row.setting != "graph_channels_1"; });
  const auto read = [&](const char* file) {
    std::ifstream in(folder / file);
    return nlohmann::json::parse(in).at("rows");
  };
  for (const auto& row : read("collectives.json")) {
    const NcclCollective asked{.collective = kCollectives.parse(row.at("op").get<std::string>()),
                               .gpus = row.at("gpus"),
                               .bytes = row.at("bytes")};
    if (ring_of_three(asked.collective) && asked.bytes >= 4 << 20) {
      rows.push_back({asked, row.at("us").get<double>() * 1000});
    }
  }
  for (const auto& row : read("overlap.json")) {
    rows.push_back({{.gpus = row.at("gpus"), .bytes = row.at("mb").get<Bytes>() << 20, .channels = row.at("channels")},
                    row.at("coll_alone").get<double>() * 1000});
  }
  return rows;
}

/// Mean of |predicted / measured - 1| in per cent over the rows that `which` takes.
double error_of(const std::vector<MeasuredCollective>& rows,
                const std::function<bool(const MeasuredCollective&)>& which,
                const std::function<NcclTime(const NcclCollective&)>& predict = {}) {
  double sum = 0;
  double count = 0;
  for (const MeasuredCollective& row : rows) {
    if (!which(row)) continue;
    const NcclTime time = predict ? predict(row.asked) : nccl_time(row.asked, four());
    sum += 100 * std::abs(time.total / row.ns - 1);
    ++count;
  }
  REQUIRE(count > 0);
  return sum / count;
}

constexpr Bytes kMiB = 1 << 20U;

}  // namespace

TEST_SUITE("ADR-0051") {
  TEST_CASE("51.1 the library's own estimates decide the protocol") {
    CHECK(protocol_of(Collective::kAllReduce, kMiB) == NcclProtocol::kLl);
    CHECK(protocol_of(Collective::kAllReduce, 4 * kMiB) == NcclProtocol::kLl128);
    CHECK(protocol_of(Collective::kAllReduce, 16 * kMiB) == NcclProtocol::kSimple);
    // Three hops by LL128 are estimated longer than by Simple: it is never taken.
    CHECK(protocol_of(Collective::kAllGather, kMiB) == NcclProtocol::kLl);
    CHECK(protocol_of(Collective::kAllGather, 4 * kMiB) == NcclProtocol::kSimple);
    CHECK(protocol_of(Collective::kAllReduce, 4 * kMiB, 2) == NcclProtocol::kSimple);
    // 6.6 + 6 x 0.6 + V/141 against 14 + 6 x 1.9 + V/331.2: equal at V = 3,732,003 B of 1.5 a byte.
    CHECK(protocol_of(Collective::kAllReduce, 2'487'000) == NcclProtocol::kLl);
    CHECK(protocol_of(Collective::kAllReduce, 2'489'000) == NcclProtocol::kLl128);
    CHECK(protocol_of(Collective::kAllToAll, 65'536) == NcclProtocol::kLl);
    CHECK(protocol_of(Collective::kAllToAll, 65'540) == NcclProtocol::kSimple);
  }

  TEST_CASE("51.2 a channel for every so many bytes") {
    CHECK(time_of(Collective::kAllReduce, 1024).channels == 1);
    CHECK(time_of(Collective::kAllReduce, 32767).channels == 1);  // 512 threads x 8 B x 4 GPUs
    CHECK(time_of(Collective::kAllReduce, 32768).channels == 2);
    CHECK(time_of(Collective::kAllReduce, kMiB).channels == 24);
    CHECK(time_of(Collective::kAllReduce, 64 * kMiB, 4, 8).channels == 8);
    CHECK(time_of(Collective::kAllReduce, 64 * kMiB).threads == 544);
    CHECK(time_of(Collective::kAllReduce, 4 * kMiB).threads == 640);
  }

  TEST_CASE("51.2 one CTA of 544 threads an SM, two of 288") {
    const NcclTime wide = time_of(Collective::kAllReduce, 64 * kMiB, 4, 28);
    CHECK(nccl_ctas_of_sm(wide, four()) == 1);
    CHECK(nccl_sms(wide, four()) == 28);
    const NcclTime narrow = nccl_time({.gpus = 4, .bytes = 64 * kMiB, .channels = 28, .threads = 256}, four());
    CHECK(narrow.threads == 288);
    CHECK(nccl_sms(narrow, four()) == 14);
  }

  TEST_CASE("51.3 Simple by hand: steps of the ring, each as fast as channels and links together") {
    const double read = 1 / 164.0;
    const double write = 1 / 56.4;
    const double link = 1 / 400.0;
    const auto joined = [&](double reads, double writes, double channels) {
      const double alone = (reads * read + writes * write) / channels;
      return std::cbrt(alone * alone * alone + link * link * link);
    };
    const double step = 16 * kMiB;
    const NcclTime reduced = time_of(Collective::kAllReduce, 64 * kMiB, 4, 8);
    CHECK(reduced.hops == 6);
    CHECK(reduced.sent == 100'663'296);
    const double last = (read + write) / 8;  // what nobody waits for is not sent
    const double sum = joined(1, 1, 8) + 2 * joined(2, 1, 8) + joined(2, 2, 8) + 2 * joined(1, 2, 8) + last;
    CHECK(reduced.total == doctest::Approx(15'800 + 6 * 2930 + step * sum));
    CHECK(reduced.channel_rate == doctest::Approx(6 / (10 * read + 10 * write)));
    CHECK(reduced.rate == doctest::Approx(6 / sum));
    const NcclTime gathered = time_of(Collective::kAllGather, 64 * kMiB, 4, 8);
    CHECK(gathered.total == doctest::Approx(15'800 + 3 * 2930 + step * (3 * joined(1, 2, 8) + last)));
    const NcclTime scattered = time_of(Collective::kReduceScatter, 64 * kMiB, 4, 8);
    CHECK(scattered.total ==
          doctest::Approx(15'800 + 3 * 2930 + step * (joined(1, 1, 8) + 2 * joined(2, 1, 8) + (2 * read + write) / 8)));
    // Between two GPUs there are no steps that reduce and send, or keep and send.
    const double two = joined(1, 1, 24) + joined(2, 2, 24) + (read + write) / 24;
    CHECK(time_of(Collective::kAllReduce, 64 * kMiB, 2).total == doctest::Approx(15'800 + 2 * 2930 + 32 * kMiB * two));
    CHECK(time_of(Collective::kAllReduce, 64 * kMiB, 4, 4).limit() == "channels");
    CHECK(time_of(Collective::kAllReduce, 64 * kMiB).limit() == "links");
    CHECK(time_of(Collective::kAllReduce, 1024).limit() == "hops");
    CHECK(nccl_hbm_bytes({.gpus = 4, .bytes = 64 * kMiB}) == 20 * step);
    // A broadcast hands parts of 512 KiB on, and has no other start.
    const double fill = 524'288 * (2 * (read + 2 * write) + read + write);
    CHECK(time_of(Collective::kBroadcast, 64 * kMiB).total ==
          doctest::Approx(3 * 2930 + 64 * kMiB * joined(1, 2, 24) + fill));
    CHECK(time_of(Collective::kBroadcast, 4 * kMiB, 2).total ==
          doctest::Approx(2930 + 4 * kMiB * (joined(1, 2, 24) + (read + write) / 24)));
    CHECK(time_of(Collective::kAllToAll, 64 * kMiB).total ==
          doctest::Approx(6300 + 3 * 2930 + step * (3 * joined(1, 2, 24) + (read + write) / 24)));
  }

  TEST_CASE("51.3 LL and LL128 by hand") {
    // 10 writes for 6 sends.
    CHECK(time_of(Collective::kAllReduce, 1024).total == doctest::Approx(4470 + 6 * 779 + 256 * 10 / 13.9));
    CHECK(time_of(Collective::kAllReduce, 1024, 2).total == doctest::Approx(4470 + 2 * 779 + 512 * 4 / 13.9));
    // 100 channels could write more than the links carry.
    CHECK(time_of(Collective::kAllGather, kMiB, 4, 100).limit() == "start");
    GpuSpec slow = four();
    slow.nvlink.bandwidth = 10;
    const NcclTime linked = nccl_time({.collective = Collective::kAllGather, .gpus = 4, .bytes = kMiB}, slow);
    CHECK(linked.total == doctest::Approx(4470 + 3 * 779 + 0.75 * kMiB / 10));
    CHECK(linked.limit() == "links");
    const double read = 1 / 164.0 / 0.9375 / 24;
    const double write = 1 / 56.4 / 0.9375 / 24;
    const auto joined = [](double alone) { return std::cbrt(std::pow(alone, 3) + std::pow(207, -3)); };
    const double sum = joined(read + write) + 2 * joined(2 * read + write) + joined(2 * read + 2 * write) +
                       2 * joined(read + 2 * write) + read + write;
    const NcclTime time = time_of(Collective::kAllReduce, 4 * kMiB);
    CHECK(time.total == doctest::Approx(4470 + 6 * 779 + kMiB * sum));
    CHECK(time.time().value == std::llround(time.total * 1000));
  }

  TEST_CASE("51.4 what the machine cannot do is refused, with the numbers") {
    const auto refused = [](NcclCollective asked, const char* part) {
      CHECK_THROWS_WITH_AS(check_nccl(asked, four()), doctest::Contains(part), ConfigError);
    };
    refused({.gpus = 8, .bytes = 1024}, "a collective over 8 GPUs: expected 2 to nvlink.gpus, 4");
    refused({.gpus = 1, .bytes = 1024}, "a collective over 1 GPU: expected 2 to nvlink.gpus, 4");
    refused({.collective = Collective::kReduce, .gpus = 4, .bytes = 1024}, "a reduce on GPUs: expected all_reduce");
    refused({.gpus = 4, .bytes = Bytes{1} << 40U}, "at most hbm.capacity");
    refused({.gpus = 4, .bytes = 1024, .channels = 133}, "a collective in 133 channels: expected 1 to sm.count, 132");
    refused({.gpus = 4, .bytes = 1024, .threads = 100}, "channels of 100 threads: expected a multiple of 32");
    refused({.gpus = 4, .bytes = 0}, "a collective of 0 B: expected 1 B or more");
    GpuSpec one = four();
    one.nvlink.gpus = 1;
    CHECK_THROWS_WITH_AS(check_nccl({.gpus = 2, .bytes = 1024}, one),
                         doctest::Contains("expected a machine of several"), ConfigError);
    GpuSpec without = four();
    without.nccl.given = false;
    CHECK_THROWS_WITH_AS(check_nccl({.gpus = 4, .bytes = 1024}, without), doctest::Contains("nccl"), ConfigError);
  }

  TEST_CASE("51.5 rows that nothing was fitted to") {
    const auto rows = unseen_collectives();
    const auto three = [](const MeasuredCollective& row) { return ring_of_three(row.asked.collective); };
    const auto large = [&](const MeasuredCollective& row) { return three(row) && row.asked.bytes >= 8 * kMiB; };
    const auto small = [&](const MeasuredCollective& row) { return three(row) && row.asked.bytes < 8 * kMiB; };
    CHECK(std::ranges::count_if(rows, three) == 363);
    CHECK(error_of(rows, large) == doctest::Approx(3.1).epsilon(0.01));
    CHECK(error_of(rows, small) == doctest::Approx(5.4).epsilon(0.01));
    // Inside CUDA graphs, with the library's channels.
    const auto usual = [&](std::int64_t gpus, const auto& which) {
      return error_of(rows, [&, gpus](const MeasuredCollective& row) {
        return which(row) && row.asked.gpus == gpus && row.setting == "graph";
      });
    };
    CHECK(usual(4, large) == doctest::Approx(2.6).epsilon(0.02));
    CHECK(usual(4, small) == doctest::Approx(6.4).epsilon(0.02));
    CHECK(usual(2, large) == doctest::Approx(5.1).epsilon(0.02));
    CHECK(usual(2, small) == doctest::Approx(6.6).epsilon(0.02));
    const auto only = [&](Collective collective) {
      return error_of(rows, [=](const MeasuredCollective& row) { return row.asked.collective == collective; });
    };
    CHECK(only(Collective::kBroadcast) == doctest::Approx(9.5).epsilon(0.01));
    CHECK(only(Collective::kAllToAll) == doctest::Approx(15.2).epsilon(0.01));
  }

  TEST_CASE("51.5 what each mechanism is worth") {
    const auto rows = unseen_collectives();
    const auto three = [](const MeasuredCollective& row) { return ring_of_three(row.asked.collective); };
    const auto without = [&](const std::function<void(GpuNccl&)>& change) {
      GpuSpec gpu = four();
      change(gpu.nccl);
      return error_of(rows, three, [&](const NcclCollective& asked) { return nccl_time(asked, gpu); });
    };
    CHECK(without([](GpuNccl&) {}) == doctest::Approx(4.5).epsilon(0.01));
    // One protocol.
    CHECK(without([](GpuNccl& nccl) { nccl.ll.base = nccl.ll128.base = 1e9; }) == doctest::Approx(104).epsilon(0.01));
    CHECK(without([](GpuNccl& nccl) { nccl.small_hop = 0; }) == doctest::Approx(16.6).epsilon(0.01));
    CHECK(without([](GpuNccl& nccl) { nccl.softmin = 1000; }) == doctest::Approx(5.6).epsilon(0.01));
    CHECK(without([](GpuNccl& nccl) { nccl.ll128.base = 1e9; }) == doctest::Approx(4.73).epsilon(0.002));
  }

  TEST_CASE("51.5 channels of fewer threads, to which two numbers are fitted") {
    const auto rows = committed_collectives();
    const auto of = [&](std::int64_t threads, std::int64_t channels, bool large, const GpuSpec& gpu) {
      return error_of(
          rows,
          [&](const MeasuredCollective& row) {
            return row.asked.threads == threads && row.asked.channels == channels &&
                   (row.asked.bytes >= 8 * kMiB) == large;
          },
          [&](const NcclCollective& asked) { return nccl_time(asked, gpu); });
    };
    GpuSpec alike = four();
    alike.nccl.thread_read = alike.nccl.ll_thread_read = 1e6;
    CHECK(of(256, 8, true, four()) == doctest::Approx(10.9).epsilon(0.01));
    CHECK(of(256, 8, true, alike) == doctest::Approx(12.3).epsilon(0.01));
    CHECK(of(128, 8, true, four()) == doctest::Approx(15.6).epsilon(0.01));
    CHECK(of(128, 8, true, alike) == doctest::Approx(33.5).epsilon(0.01));
    CHECK(of(64, 8, true, four()) == doctest::Approx(16.0).epsilon(0.01));
    CHECK(of(64, 8, true, alike) == doctest::Approx(59.7).epsilon(0.01));
    CHECK(of(64, 1, true, four()) == doctest::Approx(27.3).epsilon(0.01));
  }

  TEST_CASE("51.3 fewer threads by hand") {
    const double channel = 1 / 164.0 + 2 / 56.4;
    const double threads = (1 / 128.0 - 1 / 512.0) / 0.202;
    const auto joined = [](double a, double b, double c) { return std::cbrt(a * a * a + b * b * b + c * c * c); };
    const NcclTime gathered = nccl_time(
        {.collective = Collective::kAllGather, .gpus = 2, .bytes = 64 * kMiB, .channels = 4, .threads = 128}, four());
    const double sent = joined(channel / 4, threads / 4, 1 / 400.0);
    const double last = joined((1 / 164.0 + 1 / 56.4) / 4, threads / 4, 0);
    CHECK(gathered.total == doctest::Approx(15'800 + 2930 + 32 * kMiB * (sent + last)));
    const double ll_threads = (1 / 128.0 - 1 / 512.0) / 0.041;
    const NcclTime small =
        nccl_time({.collective = Collective::kAllGather, .gpus = 2, .bytes = 1024, .threads = 128}, four());
    CHECK(small.total ==
          doctest::Approx(4470 + 779 + 512 * (joined(2 / 13.9, ll_threads, 0) + joined(1 / 13.9, ll_threads, 0))));
  }

  TEST_CASE("51.5 rows that it was fitted to, and numbers that no others fit better") {
    const auto rows = fitted_collectives();
    if (rows.empty()) return;
    CHECK(rows.size() == 99);
    const auto error = [&](const GpuSpec& gpu) {
      return error_of(
          rows, [](const MeasuredCollective&) { return true; },
          [&](const NcclCollective& asked) { return nccl_time(asked, gpu); });
    };
    const double least = error(four());
    CHECK(least == doctest::Approx(3.57).epsilon(0.01));
    for (double GpuNccl::*number : {&GpuNccl::small_start, &GpuNccl::small_hop, &GpuNccl::ll_write, &GpuNccl::start,
                                    &GpuNccl::hop, &GpuNccl::read, &GpuNccl::write, &GpuNccl::ll128_bandwidth}) {
      for (const double factor : {0.8, 1.25}) {
        GpuSpec gpu = four();
        gpu.nccl.*number *= factor;
        CHECK(error(gpu) > least);
      }
    }
  }
}
