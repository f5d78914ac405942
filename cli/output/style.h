#pragma once

#include <string>
#include <string_view>

#include "core/diag/diagnostic.h"

namespace cnsched::cli {

/// The role of a piece of text, which selects its color.
enum class Paint : unsigned char { error, warning, info, note, help, gutter, strong };

Paint paint_of(Severity severity);

/// Colors text, if enabled. The only user of rang.
class Style {
 public:
  explicit Style(bool colored) : colored_(colored) {}
  std::string operator()(Paint paint, std::string_view text) const;

 private:
  bool colored_;
};

}  // namespace cnsched::cli
