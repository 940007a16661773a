// Lane, encode, stream.
#include "sim/system/trace/trace_writer.hpp"

#include <utility>

#include "sim/base/errors.hpp"

namespace kernbench {

namespace {

constexpr std::size_t kFlushBytes = 65'536;

/// ".json" of "run.json.gz".
std::string format_of(const std::filesystem::path& path) {
  const std::filesystem::path plain = path.extension() == ".gz" ? path.stem() : path.filename();
  std::string format = plain.extension().string();
  if (format == ".perfetto-trace" || format == ".pftrace" || format == ".json") return format;
  throw ConfigError("--trace " + path.string() +
                    ": expected a name that ends in .perfetto-trace.gz, .pftrace.gz or .json.gz, or in one of these "
                    "without .gz");
}

}  // namespace

void check_trace_name(const std::filesystem::path& path) { format_of(path); }

TraceWriter::TraceWriter(const std::filesystem::path& path, TraceHeader header)
    : header_(std::move(header)),
      encoding_(format_of(path) == ".json" ? chrome_encoding() : perfetto_encoding()),
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
