// A drawing of boxes, wires and texts at places in pixels, as a figure like all others (a Vega-Lite specification).
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"

namespace kernbench {

struct Position {
  double x = 0;
  double y = 0;  ///< downwards
};

struct Rectangle {
  double x = 0;  ///< left
  double y = 0;  ///< top
  double width = 0;
  double height = 0;

  [[nodiscard]] Position centre() const { return {x + width / 2, y + height / 2}; }
  [[nodiscard]] double right() const { return x + width; }
  [[nodiscard]] double bottom() const { return y + height; }
};

/// A rectangle with up to a few lines of text in its middle, the first one bold.
struct Box : Rectangle {
  std::string kind;    ///< "pe", "die", ...: what tests count
  std::string colour;  ///< of the border, "#rrggbb"; the inside is a light tint of it
  std::string name;    ///< of the part of the machine, "die5"
  std::vector<std::string> lines;
};

enum class TextAlign { kLeft, kCentre, kRight };

class Scene {
 public:
  /// No wider than figures are: 876 pixels.
  static constexpr double kWidth = 876;

  /// A box that others lie in: drawn first, its text at its upper left corner.
  void add_frame(const Box& box);
  void add_box(const Box& box);
  void add_wire(const std::vector<Position>& points, const std::string& name);
  /// Text of 12 pixels; `at` is the middle of its height. Drawn last, on a rim of white.
  void add_text(Position at, const std::string& text, TextAlign align = TextAlign::kCentre);
  /// Lines of text, the first one at `at`.
  void add_texts(Position at, const std::vector<std::string>& lines, TextAlign align = TextAlign::kCentre);
  void set_height(double height) { height_ = height; }

  /// `notes` are the lines below the title.
  [[nodiscard]] Figure figure(const std::string& name, const std::string& title,
                              const std::vector<std::string>& notes) const;

 private:
  void add_lines(const Box& box, Position first, TextAlign align);
  [[nodiscard]] Json layer(const Json& values, const Json& mark, Json encoding) const;

  Json frames_ = Json::array();
  Json boxes_ = Json::array();
  Json wires_ = Json::array();
  Json texts_ = Json::array();
  double height_ = 0;
};

}  // namespace kernbench
