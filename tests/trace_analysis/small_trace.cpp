#include "tests/trace_analysis/small_trace.hpp"

#include <zlib.h>

#include <stdexcept>

#include "benches/io/files/write_file.hpp"
#include "sim/base/text.hpp"
#include "tests/support/error_of.hpp"

std::string event_text(const std::string& cat, const std::string& name, const std::string& ts, const std::string& dur,
                       const std::string& args, const std::string& track) {
  return R"({"ph":"X","cat":")" + cat + R"(","name":")" + name + "\"," + track + R"(,"ts":)" + ts + R"(,"dur":)" + dur +
         R"(,"args":{)" + args + "}}";
}

std::string launched(const std::string& cat, const std::string& name, int correlation, const std::string& ts,
                     const std::string& dur, const std::string& launch_ts, const std::string& launch_dur) {
  const std::string id = R"("correlation":)" + std::to_string(correlation);
  return event_text("cuda_runtime", "cudaLaunchKernel", launch_ts, launch_dur, id) + ",\n" +
         event_text(cat, name, ts, dur, id, R"("pid":0,"tid":7)");
}

std::string op_text(const std::string& name, const std::string& ts, const std::string& dur, const std::string& dims,
                    const std::string& strides, const std::string& more) {
  const std::string types = R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16"])";
  return event_text("cpu_op", name, ts, dur,
                    R"("Input Dims":)" + dims + R"(,"Input Strides":)" + strides + R"(,"Input type":)" + types + more);
}

std::string trace_text(const std::vector<std::string>& events, const std::string& fields) {
  return "{" + fields + (fields.empty() ? "" : ",") + "\"traceEvents\": [\n" + kernbench::joined(events, ",\n") +
         "\n]}\n";
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::logic_error("deflate");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

SmallTrace::SmallTrace(const std::string& text, const std::string& name) : file_(folder_.path() / name) {
  kernbench::write_file(file_, text);
}

kernbench::traces::RankTrace SmallTrace::read(const kernbench::traces::TraceReadOptions& options) const {
  return kernbench::traces::read_rank_trace(file_, options);
}

std::string SmallTrace::error(const kernbench::traces::TraceReadOptions& options) const {
  const std::string message = ::error_of([&] { static_cast<void>(read(options)); });
  const std::string name = file_.string() + ": ";
  return message.starts_with(name) ? message.substr(name.size()) : message;
}

kernbench::traces::RankTrace read_events(const std::vector<std::string>& events,
                                         const kernbench::traces::TraceReadOptions& options) {
  return SmallTrace(trace_text(events)).read(options);
}
