// rapidcheck with a number of cases of its own: a slow test asks for more of what the default suite tries a little of.
#pragma once

#include <rapidcheck.h>

#include <iostream>
#include <utility>

namespace kernbench {

/// Like rc::check, on `times` as many cases as RC_PARAMS or rapidcheck's default of 100 say.
template <class Property>
bool check_many(int times, Property&& property) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess *= times;
  const auto result = rc::detail::checkTestable(std::forward<Property>(property), rc::detail::TestMetadata{}, params);
  if (result.template is<rc::detail::SuccessResult>()) return true;
  rc::detail::printResultMessage(result, std::cerr);
  std::cerr << '\n';
  return false;
}

}  // namespace kernbench
