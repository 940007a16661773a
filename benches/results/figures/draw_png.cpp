#include "benches/results/figures/draw_png.hpp"

#include <cairo.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "benches/io/files/program_identity.hpp"
#include "benches/results/figures/encode_png.hpp"

// NOLINTBEGIN: the sanitizer's names
// fontconfig keeps its configuration to the end of the process and drops the last pointer to it. Only
// AddressSanitizer's runtime, where there is one, calls these.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
extern "C" const char* __lsan_default_options();
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
// NOLINTEND

namespace kernbench {
namespace {

template <auto release>
struct Release {
  template <typename T>
  void operator()(T* object) const {
    release(object);
  }
};
template <typename T, auto release>
using Owned = std::unique_ptr<T, Release<release>>;

std::runtime_error failure(const std::string& why) { return std::runtime_error("figures: cannot draw a PNG: " + why); }

std::runtime_error failure(GError* error) {
  const Owned<GError, g_error_free> owned(error);
  return failure(error != nullptr ? error->message : "unknown reason");
}

std::string png_of(cairo_surface_t* surface) {
  cairo_surface_flush(surface);
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface)) / sizeof(std::uint32_t);
  const auto height = static_cast<std::size_t>(cairo_image_surface_get_height(surface));
  const void* bytes = cairo_image_surface_get_data(surface);
  return encode_png({static_cast<const std::uint32_t*>(bytes), stride * height},
                    static_cast<std::size_t>(cairo_image_surface_get_width(surface)), stride);
}

}  // namespace

std::string png_drawer() {
  std::string version = "librsvg";
  for (const unsigned part : {rsvg_major_version, rsvg_minor_version, rsvg_micro_version}) {
    version += " " + std::to_string(part);
  }
  return version + ", cairo " + cairo_version_string() + ", kernbench of " + program_identity();
}

std::string draw_png(const std::string& svg, double scale) {
  GError* error = nullptr;
  const void* bytes = svg.data();
  const Owned<RsvgHandle, g_object_unref> handle(
      rsvg_handle_new_from_data(static_cast<const guint8*>(bytes), svg.size(), &error));
  if (!handle) throw failure(error);
  double width = 0;
  double height = 0;
  if (rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height) == FALSE) {
    throw failure("the SVG has no size in pixels");
  }
  const RsvgRectangle page{0, 0, std::ceil(width * scale), std::ceil(height * scale)};
  const Owned<cairo_surface_t, cairo_surface_destroy> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(page.width), static_cast<int>(page.height)));
  const Owned<cairo_t, cairo_destroy> context(cairo_create(surface.get()));
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  cairo_paint(context.get());
  if (rsvg_handle_render_document(handle.get(), context.get(), &page, &error) == FALSE) throw failure(error);
  if (const auto status = cairo_surface_status(surface.get()); status != CAIRO_STATUS_SUCCESS) {
    throw failure(cairo_status_to_string(status));
  }
  return png_of(surface.get());
}

}  // namespace kernbench
