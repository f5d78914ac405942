#pragma once

#include <string>

#include "core/base/embedded_file.h"

namespace cnsched::rules {

struct Rule;

/// The texts about a rule, from ID.md beside its code. `cnsched explain`, the manual page, README's
/// table, SARIF and editors show them. No paragraph has more than four sentences.
struct Page {
  std::string summary;  ///< what it reports, in one line, lower case
  std::string details;  ///< more about what it reports: forms, severities, syntax; may be empty
  std::string why;      ///< what happens to the user's pods, then the cause
  std::string limits;   ///< what it does not report
  std::string bad;      ///< an example at the scope of its check: pod fields or whole objects
  std::string good;     ///< the same example, corrected
  /// In a clause, why there is no AdmissionCheck; empty if there is one.
  std::string not_exported;
  std::string source;  ///< a page that documents the behaviour
};

/// The page of the rule, or what a policy says of itself. Read at the first use: lint reads none.
const Page& page_of(const Rule& rule);

/// Throws if the page lacks a heading, has one more, or has them in another order.
Page read_page(const EmbeddedFile& file);

}  // namespace cnsched::rules
