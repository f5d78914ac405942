#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/source/source_file.h"
#include "core/yaml/change.h"

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

/// Whether the author surely meant what a fix makes of the manifest, or only probably, so that
/// somebody should look at it.
enum class Safety : std::uint8_t { unsafe, safe };

/// How a finding can be mended: changes of one document of a linted file.
struct Fix {
  std::string title;  ///< "remove the value": lower case, no full stop
  Safety safety = Safety::unsafe;
  std::vector<yaml::Change> changes;
  const yaml::Document* document = nullptr;
  std::shared_ptr<const Arena> values;  ///< holds what the changes write
};

/// Why a finding is not shown.
struct Suppression {
  enum class By : std::uint8_t { comment, annotation, baseline };
  By by = By::comment;
  std::string reason;  ///< the author's; may be empty
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
  std::optional<Fix> fix{};
  std::optional<Suppression> suppression{};
};

}  // namespace cnsched
