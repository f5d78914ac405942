#pragma once

#include <string_view>

#include "cli/output/style.h"
#include "core/sim/diagnosis.h"

namespace cnsched::cli {

constexpr std::string_view name_of(sim::Verdict verdict) {
  switch (verdict) {
    case sim::Verdict::ok:
      return "ok";
    case sim::Verdict::unknown:
      return "unknown";
    case sim::Verdict::infeasible:
      break;
  }
  return "infeasible";
}

constexpr Paint paint_of(sim::Verdict verdict) {
  switch (verdict) {
    case sim::Verdict::ok:
      return Paint::help;
    case sim::Verdict::unknown:
      return Paint::warning;
    case sim::Verdict::infeasible:
      break;
  }
  return Paint::error;
}

}  // namespace cnsched::cli
