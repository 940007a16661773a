#include "benches/traces/merge/merged_names.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "benches/traces/merge/merged_ids.hpp"
#include "benches/traces/merge/merged_layout.hpp"
#include "sim/base/text.hpp"

namespace kernbench::traces {
namespace {

std::string name_in(const std::map<std::string, std::string>& names, const std::string& key) {
  const auto found = names.find(key);
  return found == names.end() ? "" : found->second;
}

bool is_number(const std::string& text) {
  std::uint64_t number = 0;
  return read_id(text, number);
}

/// "python3 GPU 0" of the pids that have such tracks; "GPU" where the file names none.
std::string process_name(const CollectedEvents& events, bool is_of_gpu) {
  std::string name;
  std::set<std::string> labels;
  for (const CollectedTrack& track : events.tracks) {
    if (track.is_of_gpu != is_of_gpu) continue;
    const std::string of_pid = name_in(events.process_names, track.pid);
    const std::string label = name_in(events.process_labels, track.pid);
    // Python's own stacks may stand under the number of a device: a process of the CPU is labelled so, or not at all.
    if (!is_of_gpu && !label.empty() && label != "CPU") continue;
    if (name.empty()) name = of_pid;
    if (!label.empty()) labels.insert(label);
  }
  if (labels.empty()) labels.insert(is_of_gpu ? "GPU" : "CPU");
  return (name.empty() ? "" : name + " ") + joined(std::vector<std::string>(labels.begin(), labels.end()), ", ");
}

std::string track_name(const CollectedEvents& events, const CollectedTrack& track, bool says_process) {
  const std::string named = name_in(events.thread_names, track.pid + '/' + track.tid);
  const bool is_numbered = is_number(track.pid) && is_number(track.tid);
  const std::string numbered = (track.is_of_gpu ? "stream " : "thread ") + track.tid;
  std::string name = !named.empty()      ? named
                     : is_numbered       ? numbered
                     : track.pid.empty() ? "global"
                                         : track.pid + ": " + track.tid;
  if (!says_process) return name;
  const std::string label = name_in(events.process_labels, track.pid);
  return name + " (" + (label.empty() ? track.pid : label) + ")";
}

/// Numbers before texts, by their value.
auto track_order(const CollectedTrack& track) {
  const auto part = [](const std::string& text) {
    std::uint64_t number = 0;
    const bool is_text = !read_id(text, number);
    return std::tuple(is_text, number, text);
  };
  return std::tuple(part(track.pid), part(track.tid));
}

}  // namespace

MergedNames name_rank(const CollectedEvents& events, std::int64_t rank, std::size_t place) {
  MergedNames names;
  std::map<bool, std::set<std::string>> pids;
  for (const CollectedTrack& track : events.tracks) pids[track.is_of_gpu].insert(track.pid);
  const std::int64_t first_pid = 2 * static_cast<std::int64_t>(place) + 1;
  for (const bool is_of_gpu : {true, false}) {
    if (!pids.contains(is_of_gpu)) continue;
    names.processes.push_back({first_pid + (is_of_gpu ? 0 : 1), rank_prefix(rank) + process_name(events, is_of_gpu)});
  }
  std::vector<std::size_t> order(events.tracks.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&events](std::size_t track) { return track_order(events.tracks[track]); });
  names.tracks.resize(events.tracks.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const CollectedTrack& track = events.tracks[order[i]];
    const bool says_process = track.is_of_gpu && pids[true].size() > 1;
    MergedTrack& merged = names.tracks[order[i]];
    merged.pid = first_pid + (track.is_of_gpu ? 0 : 1);
    merged.name = track_name(events, track, says_process);
    merged.sort_index = static_cast<std::int64_t>(i) * kLanesPerTrack;
  }
  return names;
}

}  // namespace kernbench::traces
