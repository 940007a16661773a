// The interactive page of a run: one HTML file that holds all it needs and asks no server for anything.
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "benches/results/machine/machine_card.hpp"

namespace kernbench {

/// A part of a page that has several: what one bench came to.
struct PageSection {
  std::string id;  ///< of its link and before its figures' names; once a page
  std::string title;
  std::string summary = {};   ///< what the bench is
  std::string headline = {};  ///< what came out
  std::string command = {};
  std::string source = {};                 ///< where its numbers are from
  std::vector<std::string> warnings = {};  ///< what makes its numbers doubtful, a line each
  std::vector<Figure> figures = {};
  Json toggles = {};  ///< of its figures, as PageText has them
};

/// What a page says besides figures and rows.
struct PageText {
  std::string title;
  std::string headline = {};              ///< what came out; empty: nothing is said
  std::string command = {};               ///< the command line that made it; empty: unknown
  std::vector<MachineFact> machine = {};  ///< empty: the results are of a machine that is not at hand
  std::string beside = {};                ///< the machine file that `differences` are from; empty: none
  std::vector<std::string> differences = {};
  std::vector<std::string> metrics = {};   ///< that the table shows at first
  std::vector<std::string> warnings = {};  ///< what makes the numbers doubtful, a line each
  std::vector<PageSection> sections = {};  ///< after the page's own figures
  Json toggles = {};                       ///< of its figures, as toggles_json() has them; null: none
};

/// The page's text: headline, machine, the figures with tooltips and clickable legends in the order given, and the
/// rows of `sim` with those of `theory` beside them. Scripts, styles and font are inside (scripts/web/page.html says
/// under which security policy); no address in it is ever loaded.
std::string page_html(const PageText& text, const std::vector<Figure>& figures, const Results& sim,
                      const Results& theory);

/// The same with tables of any kind, in the form of page_tables(); `source` says where the numbers are from.
std::string page_html(const PageText& text, const std::string& source, const std::vector<Figure>& figures, Json tables);

}  // namespace kernbench
