// Lane, encode, stream.
#include "sim/system/trace/trace_writer.hpp"

#include <utility>

#include "sim/base/errors.hpp"

namespace kernbench {

namespace {

constexpr std::size_t kFlushBytes = 65'536;
constexpr const char* kTraceOption = "--trace";

}  // namespace

TraceFormat trace_format(const std::filesystem::path& path, const std::string& option) {
  const std::filesystem::path plain = path.extension() == ".gz" ? path.stem() : path.filename();
  const std::string ending = plain.extension().string();
  if (ending == ".json") return TraceFormat::kChrome;
  if (ending == ".perfetto-trace" || ending == ".pftrace") return TraceFormat::kPerfetto;
  throw ConfigError(option + " " + path.string() +
                    ": expected a name that ends in .perfetto-trace.gz, .pftrace.gz or .json.gz, or in one of these "
                    "without .gz");
}

void check_trace_name(const std::filesystem::path& path) { static_cast<void>(trace_format(path, kTraceOption)); }

TraceWriter::TraceWriter(const std::filesystem::path& path, TraceHeader header)
    : header_(std::move(header)),
      encoding_(trace_format(path, kTraceOption) == TraceFormat::kChrome ? chrome_encoding() : perfetto_encoding()),
      file_(path) {
  encoding_->begin(header_, buffer_);
}

void TraceWriter::record(std::string_view engine, const Stage& stage, const OpRecord& op) {
  const Lanes::Place place = lanes_.place(engine, stage, op);
  if (place.first) encoding_->track(place.track, buffer_);
  encoding_->slice(place.track, stage, op, buffer_);
  run_.cover(op.start, op.end);
  if (buffer_.size() < kFlushBytes) return;
  file_.write(buffer_);
  buffer_.clear();
}

void TraceWriter::finish() {
  encoding_->end(header_, run_, buffer_);
  file_.write(buffer_);
  buffer_.clear();
  file_.commit();
}

}  // namespace kernbench
