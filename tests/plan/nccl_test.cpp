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

#include "sim/base/errors.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

using namespace kernbench;

namespace {

const GpuSpec& four() {
  static const GpuSpec kGpu = load_gpu(KERNBENCH_SOURCE_DIR "/topology/h200_x4.yaml").spec;
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

std::vector<MeasuredCollective> fitted_collectives() {
  const auto file = std::filesystem::path(KERNBENCH_SOURCE_DIR) / "../shared/data/h200_calibration/collectives.json";
  std::vector<MeasuredCollective> rows;
  if (!std::filesystem::exists(file)) {
    MESSAGE("skipped: there is no ../shared/data/h200_calibration/collectives.json beside the source tree");
    return rows;
  }
  std::ifstream in(file);
  const auto data = nlohmann::json::parse(in);
  for (const auto& row : data.at("rows")) {
    rows.push_back({{.collective = kCollectives.parse(row.at("op").get<std::string>()),
                     .gpus = row.at("gpus"),
                     .bytes = row.at("bytes")},
                    row.at("us").get<double>() * 1000});
  }
  return rows;
}

/// The committed rows but those of trees, which are not modelled, and the three that nccl.stream_gain is from.
std::vector<MeasuredCollective> unseen_collectives() {
  static const std::map<std::string, std::int64_t> kChannels{
      {"default", 0}, {"ring", 0}, {"channels_16", 16}, {"channels_4", 4}};
  std::ifstream in(KERNBENCH_SOURCE_DIR "/benches/reference/nvidia-h200/collectives.json");
  std::vector<MeasuredCollective> rows;
  const auto data = nlohmann::json::parse(in);
  for (const auto& row : data.at("rows")) {
    const auto& point = row.at("point");
    const std::string setting = point.at("setting");
    if (!kChannels.contains(setting)) continue;
    const NcclCollective asked{.collective = kCollectives.parse(point.at("collective").get<std::string>()),
                               .gpus = point.at("gpus"),
                               .bytes = point.at("bytes"),
                               .channels = kChannels.at(setting),
                               .launch = NcclLaunch::kStream};
    if (asked.bytes == 1024 && asked.gpus == 4 && setting == "default" && ring_of_three(asked.collective)) continue;
    rows.push_back({asked, row.at("metrics").at("time_ns"), setting});
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

  TEST_CASE("51.3 Simple by hand: channels and links, a turn of the ring") {
    const NcclTime time = time_of(Collective::kAllReduce, 64 * kMiB, 4, 8);
    CHECK(time.hops == 6);
    CHECK(time.sent == 100'663'296);
    const double channel = 1 / (1.5 / 140 + 1.5 / 51.5);  // 9 reads and 9 writes for 6 sends
    CHECK(time.channel_rate == doctest::Approx(channel));
    const double rate = std::pow(std::pow(8 * channel, -3) + std::pow(404, -3), -1.0 / 3);
    CHECK(time.rate == doctest::Approx(rate));
    CHECK(time.total == doctest::Approx(25'200 + 6 * 70 + 100'663'296 / rate + 100'663'296 / 6.0 / 980));
    // An all_gather writes twice for each send, a reduce_scatter 4/3 times and reads 7/3.
    CHECK(time_of(Collective::kAllGather, 64 * kMiB, 4, 8).channel_rate == doctest::Approx(1 / (1 / 140.0 + 2 / 51.5)));
    CHECK(time_of(Collective::kReduceScatter, 64 * kMiB, 4, 8).channel_rate ==
          doctest::Approx(1 / (7 / 3.0 / 140 + 4 / 3.0 / 51.5)));
    CHECK(time_of(Collective::kAllReduce, 64 * kMiB, 4, 4).limit(four()) == "channels");
    CHECK(time_of(Collective::kAllReduce, 64 * kMiB).limit(four()) == "links");
  }

  TEST_CASE("51.3 LL and LL128 by hand") {
    CHECK(time_of(Collective::kAllReduce, 1024).total == doctest::Approx(9650 + 6 * 758 + 1536 / (17.1 / 1.5)));
    CHECK(nccl_time({.gpus = 4, .bytes = 1024, .launch = NcclLaunch::kStream}, four()).total ==
          doctest::Approx(9650 - 4880 + 6 * 758 + 1536 / (17.1 / 1.5)));
    const double channels = 24 * 0.9375 / (1.5 / 140 + 1.5 / 51.5);
    const double rate = std::pow(std::pow(channels, -3) + std::pow(241, -3), -1.0 / 3);
    CHECK(time_of(Collective::kAllReduce, 4 * kMiB).total == doctest::Approx(9650 + 6 * 758 + 1.5 * 4 * kMiB / rate));
    CHECK(time_of(Collective::kAllReduce, 4 * kMiB).time().value ==
          std::llround(time_of(Collective::kAllReduce, 4 * kMiB).total * 1000));
  }

  TEST_CASE("51.4 what the machine cannot do is refused, with the numbers") {
    const auto refused = [](NcclCollective asked, const char* part) {
      CHECK_THROWS_WITH_AS(check_nccl(asked, four()), doctest::Contains(part), ConfigError);
    };
    refused({.gpus = 8, .bytes = 1024}, "a collective over 8 GPUs: expected 2 to nvlink.gpus, 4");
    refused({.gpus = 1, .bytes = 1024}, "a collective over 1 GPU:");
    refused({.collective = Collective::kReduce, .gpus = 4, .bytes = 1024}, "got reduce");
    refused({.gpus = 4, .bytes = Bytes{1} << 40U}, "at most hbm.capacity");
    refused({.gpus = 4, .bytes = 1024, .channels = 133}, "132, got 133");
    refused({.gpus = 4, .bytes = 1024, .threads = 100}, "multiple of 32 threads");
    GpuSpec without = four();
    without.nccl.given = false;
    CHECK_THROWS_WITH_AS(check_nccl({.gpus = 4, .bytes = 1024}, without), doctest::Contains("nccl"), ConfigError);
  }

  TEST_CASE("51.5 rows that nothing was fitted to") {
    const auto rows = unseen_collectives();
    const auto three = [](const MeasuredCollective& row) { return ring_of_three(row.asked.collective); };
    const auto large = [&](const MeasuredCollective& row) { return three(row) && row.asked.bytes >= 8 * kMiB; };
    const auto small = [&](const MeasuredCollective& row) { return three(row) && row.asked.bytes < 8 * kMiB; };
    const auto usual = [&](std::int64_t gpus, const auto& which) {
      return error_of(rows, [&, gpus](const MeasuredCollective& row) {
        return which(row) && row.asked.gpus == gpus && row.asked.channels == 0;
      });
    };
    CHECK(std::ranges::count_if(rows, three) == 162);
    CHECK(error_of(rows, three) == doctest::Approx(6.2).epsilon(0.01));
    CHECK(error_of(rows, large) == doctest::Approx(4.5).epsilon(0.01));
    CHECK(error_of(rows, small) == doctest::Approx(7.2).epsilon(0.01));
    CHECK(usual(4, large) == doctest::Approx(2.2).epsilon(0.02));
    CHECK(usual(4, small) == doctest::Approx(5.1).epsilon(0.02));
    CHECK(usual(2, large) == doctest::Approx(5.9).epsilon(0.02));
    CHECK(usual(2, small) == doctest::Approx(12.4).epsilon(0.02));
    CHECK(error_of(rows, [&](const MeasuredCollective& row) {
            return large(row) && row.asked.gpus == 2 && row.asked.collective == Collective::kReduceScatter;
          }) == doctest::Approx(10.1).epsilon(0.01));
    const auto only = [&](Collective collective) {
      return error_of(rows, [=](const MeasuredCollective& row) { return row.asked.collective == collective; });
    };
    CHECK(only(Collective::kBroadcast) == doctest::Approx(15.9).epsilon(0.01));
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
    // One protocol; the fastest one instead of that which the library takes.
    CHECK(without([](GpuNccl& nccl) { nccl.ll.base = nccl.ll128.base = 1e9; }) == doctest::Approx(107).epsilon(0.01));
    CHECK(without([](GpuNccl& nccl) {
            nccl.ll = {4770, 758, 256};
            nccl.ll128 = {9650, 758, 220};
            nccl.simple = {25'200, 70, 340};
          }) == doctest::Approx(9.7).epsilon(0.01));
    CHECK(without([](GpuNccl& nccl) { nccl.small_hop = 0; }) == doctest::Approx(19.9).epsilon(0.01));
    CHECK(without([](GpuNccl& nccl) { nccl.softmin = 1000; }) == doctest::Approx(7.4).epsilon(0.01));
    CHECK(without([](GpuNccl& nccl) { nccl.turn = 1e9; }) == doctest::Approx(7.4).epsilon(0.01));
    CHECK(without([](GpuNccl& nccl) { nccl.stream_gain = 0; }) == doctest::Approx(29.5).epsilon(0.01));
    CHECK(without([](GpuNccl& nccl) { nccl.ll128.base = 1e9; }) == doctest::Approx(6.25).epsilon(0.01));
  }

  TEST_CASE("51.5 rows that it was fitted to") {
    const auto rows = fitted_collectives();
    if (rows.empty()) return;
    CHECK(error_of(rows, [](const MeasuredCollective& row) { return ring_of_three(row.asked.collective); }) ==
          doctest::Approx(2.83).epsilon(0.01));
  }
}
