#include "benches/workloads/training/training_traces.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "benches/io/files/gzip.hpp"
#include "benches/io/text/plain_text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/units.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kFirstExternalId = 1000;
constexpr std::int64_t kHostThread = 1;
constexpr const char* kGemmKernel = "kernbench_gemm_owner_computes";  // all GEMMs are of one kernel (41.4)
constexpr std::int64_t kGemmStream = 7;
constexpr std::int64_t kCollectiveStream = 19;
constexpr std::int64_t kHostPid = 1000;  // of rank 0
constexpr const char* kDtype = "BFloat16";
constexpr const char* kInputType = "c10::BFloat16";
constexpr const char* kPackage = "kernbench package";  // device of a timeline that names none

/// µs: six decimals are picoseconds. A double keeps them below 2^53 ps, 2.5 hours.
double us(std::int64_t ps) {
  KB_CHECK(ps >= 0 && ps < (std::int64_t{1} << 53), "a time of a trace that a double does not hold");
  return static_cast<double>(ps) / 1e6;
}

Json strides(std::int64_t rows, std::int64_t columns, bool transposed) {
  return transposed ? Json{1, rows} : Json{columns, 1};
}

/// Ranks that are all alike are there once, and `ranks` says how many.
std::size_t rank_count(const Json& timeline) { return timeline.value("ranks", timeline.at("steps").at(0).size()); }

const Json& of_rank(const Json& step, std::size_t rank) { return step.at(step.size() == 1 ? 0 : rank); }

/// Launches of a step in the order of their numbers: of which list of the timeline, and where in it.
struct StepLaunch {
  std::int64_t number = 0;
  std::string list;
  std::size_t place = 0;
};

std::vector<StepLaunch> launches_of(const Json& timeline) {
  std::vector<StepLaunch> launches;
  for (const char* list : {"gemms", "collectives", "passes"}) {
    if (!timeline.contains(list)) continue;
    const Json& planned = timeline.at(list);
    for (std::size_t i = 0; i < planned.size(); ++i) launches.push_back({planned[i].at("launch"), list, i});
  }
  std::ranges::sort(launches, {}, &StepLaunch::number);
  return launches;
}

/// The trace of one rank while it is put together.
class RankTrace {
 public:
  RankTrace(const Json& timeline, std::int64_t rank)
      : timeline_(timeline), rank_(rank), host_(kHostPid + rank), launches_(launches_of(timeline)) {}

  Json take() {
    name(host_, "python3", "CPU", host_);
    name(rank_, "python3", "GPU " + std::to_string(rank_), 5'000'000 + rank_);
    for (const std::int64_t stream : {kGemmStream, kCollectiveStream}) {
      meta("thread_name", rank_, stream, {{"name", "stream " + std::to_string(stream)}});
    }
    const Json& steps = timeline_.at("steps");
    for (std::size_t i = 0; i < steps.size(); ++i) step(i, of_rank(steps[i], static_cast<std::size_t>(rank_)));
    return {{"schemaVersion", 1},
            {"deviceProperties", devices()},
            {"record_shapes", 1},
            {"distributedInfo", distributed()},
            {"displayTimeUnit", "ms"},
            {"baseTimeNanoseconds", 0},
            {"traceEvents", std::move(events_)}};
  }

 private:
  [[nodiscard]] std::int64_t ranks() const { return static_cast<std::int64_t>(rank_count(timeline_)); }
  [[nodiscard]] Json rank_numbers() const {
    Json numbers = Json::array();
    for (std::int64_t rank = 0; rank < ranks(); ++rank) numbers.push_back(rank);
    return numbers;
  }
  [[nodiscard]] Json devices() const {
    Json devices = Json::array();
    for (std::int64_t rank = 0; rank < ranks(); ++rank)
      devices.push_back({{"id", rank}, {"name", timeline_.value("device", kPackage)}});
    return devices;
  }
  [[nodiscard]] Json distributed() const {
    const Json group{{"pg_name", "0"},
                     {"pg_desc", "default_pg"},
                     {"backend_config", "kernbench"},
                     {"pg_size", ranks()},
                     {"ranks", rank_numbers()}};
    return {{"backend", "kernbench"},
            {"rank", rank_},
            {"world_size", ranks()},
            {"pg_count", 1},
            {"pg_config", Json::array({group})}};
  }

  void meta(const char* what, std::int64_t pid, std::int64_t tid, Json args) {
    events_.push_back({{"name", what}, {"ph", "M"}, {"ts", 0}, {"pid", pid}, {"tid", tid}, {"args", std::move(args)}});
  }
  void name(std::int64_t pid, const char* process, const std::string& label, std::int64_t sort) {
    meta("process_name", pid, 0, {{"name", process}});
    meta("process_labels", pid, 0, {{"labels", label}});
    meta("process_sort_index", pid, 0, {{"sort_index", sort}});
  }

  void complete(const char* category, const std::string& what, std::int64_t pid, std::int64_t tid, std::int64_t start,
                std::int64_t end, Json args) {
    events_.push_back({{"ph", "X"},
                       {"cat", category},
                       {"name", what},
                       {"pid", pid},
                       {"tid", tid},
                       {"ts", us(start)},
                       {"dur", us(end - start)},
                       {"args", std::move(args)}});
  }
  void flow(const char* phase, std::int64_t pid, std::int64_t tid, std::int64_t at) {
    Json event{{"ph", phase},  {"id", id_},     {"pid", pid},    {"tid", tid},
               {"ts", us(at)}, {"cat", "ac2g"}, {"name", "ac2g"}};
    if (*phase == 'f') event["bp"] = "e";
    events_.push_back(std::move(event));
  }

  void step(std::size_t number, const Json& step) {
    const std::string annotation = "ProfilerStep#" + std::to_string(number);
    const std::int64_t begin = step.at("begin");
    const std::int64_t end = step.at("end");
    // A host that is ahead of its device has launched all before the step begins there.
    const bool ahead = step.at("host") < step.at("begin");
    complete("user_annotation", annotation, host_, kHostThread, ahead ? step.at("host").get<std::int64_t>() : begin,
             ahead ? begin : end, {{"External id", next_external_id()}});
    complete("gpu_user_annotation", annotation, rank_, kGemmStream, begin, end, {{"External id", external_id_}});
    for (const StepLaunch& launch : launches_) {
      const Json& planned = timeline_.at(launch.list)[launch.place];
      const Json& times = step.at(launch.list)[launch.place];
      if (launch.list == "gemms") {
        multiply(planned, times, step.at("host"));
      } else if (launch.list == "collectives") {
        reduce(planned, times, step.at("host"));
      } else {
        pass(planned, times, step.at("host"));
      }
    }
  }

  std::int64_t next_external_id() { return ++external_id_; }

  /// An op over its launch, the call in its second half, and the kernel.
  void launched(const char* op, const Json& op_args, const std::string& kernel, const Json& kernel_args,
                std::int64_t stream, const Json& planned, const Json& times, std::int64_t host) {
    ++id_;
    const std::int64_t launch = timeline_.at("launch");
    const std::int64_t begin = host + planned.at("launch").get<std::int64_t>() * launch;
    Json args{{"External id", next_external_id()}, {"Record function id", 0}};
    args.update(op_args);
    complete("cpu_op", op, host_, kHostThread, begin, begin + launch, std::move(args));
    const std::int64_t call = begin + launch - launch / 2;
    complete("cuda_runtime", "cudaLaunchKernel", host_, kHostThread, call, begin + launch,
             {{"External id", external_id_}, {"cbid", 211}, {"correlation", id_}});
    flow("s", host_, kHostThread, call);
    Json on_device{
        {"External id", external_id_}, {"device", rank_}, {"context", 1}, {"stream", stream}, {"correlation", id_}};
    on_device.update(kernel_args);
    complete("kernel", kernel, rank_, stream, times.at(0), times.at(1), std::move(on_device));
    flow("f", rank_, stream, times.at(0));
  }

  void multiply(const Json& gemm, const Json& times, std::int64_t host) {
    const std::int64_t m = gemm.at("m");
    const std::int64_t k = gemm.at("k");
    const std::int64_t n = gemm.at("n");
    const std::string pass = gemm.at("pass");
    // Weights lie as k x n, or as a framework's linear layer has them, n x k.
    const std::string transposed = timeline_.value("weights_transposed", false) ? "forward" : "dgrad";
    const Json args{{"Concrete Inputs", {"", ""}},
                    {"Input type", {kInputType, kInputType}},
                    {"Input Strides", {strides(m, k, pass == "wgrad"), strides(k, n, pass == transposed)}},
                    {"Input Dims", {{m, k}, {k, n}}}};
    launched("aten::mm", args, gemm.value("kernel", kGemmKernel), {{"gemm", gemm.at("name")}}, kGemmStream, gemm, times,
             host);
  }

  void pass(const Json& pass, const Json& times, std::int64_t host) {
    const Json elements = Json::array({pass.at("elements")});
    const Json args{{"Input type", {kInputType}}, {"Input Dims", Json::array({elements})}};
    launched(pass.at("op").get_ref<const std::string&>().c_str(), args, pass.at("kernel"), {{"pass", pass.at("name")}},
             kGemmStream, pass, times, host);
  }

  void reduce(const Json& bucket, const Json& times, std::int64_t host) {
    const Json message{{"Collective name", "allreduce"},
                       {"In msg nelems", bucket.at("elements")},
                       {"Out msg nelems", bucket.at("elements")},
                       {"Group size", ranks()},
                       {"dtype", kDtype},
                       {"In split size", "[]"},
                       {"Out split size", "[]"},
                       {"Process Group Name", "0"},
                       {"Process Group Description", "default_pg"},
                       {"Process Group Ranks", rank_list()},
                       {"Seq", ++sequence_}};
    Json args = message;
    args["Rank"] = rank_;
    args["Input Dims"] = Json::array({Json::array({Json::array({bucket.at("elements")})})});
    Json kernel = message;
    kernel["grid"] = {timeline_.at("channels"), 1, 1};
    if (timeline_.contains("threads")) kernel["block"] = {timeline_.at("threads"), 1, 1};
    launched("record_param_comms", args, "ncclDevKernel_AllReduce_Sum_bf16_RING", kernel, kCollectiveStream, bucket,
             times, host);
  }
  [[nodiscard]] std::string rank_list() const {
    std::string list;
    for (std::int64_t rank = 0; rank < ranks(); ++rank) list += (rank > 0 ? ", " : "[") + std::to_string(rank);
    return list + "]";
  }

  const Json& timeline_;
  std::int64_t rank_;
  std::int64_t host_;  // its process
  std::vector<StepLaunch> launches_;
  std::int64_t external_id_ = kFirstExternalId;
  std::int64_t id_ = 0;  // correlation
  std::int64_t sequence_ = 0;
  Json events_ = Json::array();
};

Json config_of(const Row& row) {
  Json ranks = Json::array();
  for (std::size_t rank = 0; rank < rank_count(row.timeline); ++rank) {
    ranks.push_back("rank" + std::to_string(rank) + ".json.gz");
  }
  return {{"point", row.point}, {"device", "kernbench"}, {"metrics", row.metrics.json()}, {"ranks", std::move(ranks)}};
}

/// The number that a launch has in each rank's trace, where a step has so many.
std::int64_t correlation_of(std::size_t step, std::size_t launches, const Json& planned) {
  return static_cast<std::int64_t>(step * launches) + planned.at("launch").get<std::int64_t>() + 1;
}

std::string folder_of(const Json& point, const Results& among) {
  std::string folder = point.at("channels").dump() + "ch_" + point.at("threads").dump() + "threads";
  for (const char* field : {"channel_pes", "layers", "batch", "hidden", "bucket_bytes", "steps", "gpus"}) {
    const auto differs = [&](const Row& row) {
      return row.point.contains(field) && row.point.at(field) != point.at(field);
    };
    if (!std::ranges::any_of(among.rows, differs)) continue;
    const Json& value = point.at(field);
    folder += "_" + std::string(field) + plain_text(value);
  }
  return folder;
}

}  // namespace

Json rank_trace(const Json& timeline, std::int64_t rank) { return RankTrace(timeline, rank).take(); }

Json training_truth(const Json& timeline) {
  Json gemms = Json::array();
  const Json& steps = timeline.at("steps");
  const std::size_t launches = launches_of(timeline).size();
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (std::size_t rank = 0; rank < rank_count(timeline); ++rank) {
      const Json& all = of_rank(steps[step], rank).at("gemms");
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Json& times = all[i];
        const Json& planned = timeline.at("gemms")[i];
        gemms.push_back({{"step", step},
                         {"rank", rank},
                         {"gemm", planned.at("name")},
                         {"correlation", correlation_of(step, launches, planned)},
                         {"duration_ps", times[1].get<std::int64_t>() - times[0].get<std::int64_t>()},
                         {"alone_ps", times[2]},
                         {"clock_ps", times[3]},
                         {"extra_ps", times[4]},
                         {"contention_ps", times[5]}});
      }
    }
  }
  return {{"injections", timeline.at("injections")}, {"gemms", std::move(gemms)}};
}

std::vector<NewFile> training_files(const Row& row, const std::filesystem::path& folder) {
  std::vector<NewFile> files;
  if (row.timeline.empty()) return files;
  const std::size_t ranks = rank_count(row.timeline);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    files.push_back({folder / ("rank" + std::to_string(rank) + ".json.gz"),
                     gzipped(rank_trace(row.timeline, static_cast<std::int64_t>(rank)).dump())});
  }
  files.push_back({folder / "config.json", config_of(row).dump(2) + "\n"});
  files.push_back({folder / "truth.json", training_truth(row.timeline).dump(1) + "\n"});
  return files;
}

std::vector<NewFile> training_run_files(const Results& run) {
  std::vector<NewFile> files;
  for (const Row& row : run.rows) {
    if (row.timeline.empty()) continue;
    for (NewFile& file : training_files(row, "traces/" + folder_of(row.point, run))) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace kernbench
