#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/source/source_file.h"

namespace cnsched {

/// `error`: the API server, a webhook, a controller or the scheduler will refuse it, drop it, or
/// can never place it. `warning`: it will run, but not as the author surely meant, or it depends on
/// a cluster fact that is unknown. `info`: advice on cost or clarity.
enum class Severity : std::uint8_t { info, warning, error };

constexpr std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

/// Another place that belongs to a finding, perhaps in another file.
struct Note {
  Span where;
  std::string message;
};

/// What a finding is about, for reports and fingerprints. Empty where there is no object.
struct Subject {
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  std::string component;  ///< the part of the object that becomes a pod: "predictor", "worker", …
  std::string pointer;    ///< JSON Pointer (RFC 6901) to the value, from the object's root
};

/// One finding. How it looks is for cli/output/ to decide.
struct Diagnostic {
  std::string_view rule;
  Severity severity = Severity::error;
  Span where;
  std::string message;
  Subject subject;
  std::vector<Note> notes;
  std::string help;           ///< what to write instead; may be empty
  std::string rendered_from;  ///< the chart template that a `# Source:` comment names, if any
};

}  // namespace cnsched
