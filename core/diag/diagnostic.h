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

/// `error`: the API server, a webhook or a controller rejects or drops the value, or the scheduler
/// can never place the pod. `warning`: the pod runs, but probably not as intended, or it depends on
/// an unknown fact about the cluster. `info`: advice on cost or clarity.
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

/// A related position of a finding, perhaps in another file.
struct Note {
  Span where;
  std::string message;
};

/// The object of a finding, for reports and fingerprints. Empty if there is none.
struct Subject {
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  std::string component;  ///< the part of the object that becomes a pod: "predictor", "worker", …
  std::string pointer;    ///< JSON Pointer (RFC 6901) to the value, from the object's root
};

/// `safe`: the fix certainly matches the intent. `unsafe`: it probably does and needs a review.
enum class Safety : std::uint8_t { unsafe, safe };

/// The fix of a finding: changes of one document of a linted file, or edits of sources.
struct Fix {
  std::string title;  ///< "remove the value": lower case, no full stop
  Safety safety = Safety::unsafe;
  std::vector<yaml::Change> changes;
  const yaml::Document* document = nullptr;  ///< null if sources are edited
  std::shared_ptr<const Arena> values;       ///< owns the values of the changes
  /// Of literal lines of templates, bases and patches, which no tree describes.
  std::vector<Edit> edits{};
};

/// Why a finding is not shown.
struct Suppression {
  enum class By : std::uint8_t { comment, annotation, baseline };
  By by = By::comment;
  std::string reason;  ///< as written by the user; may be empty
};

/// One finding. cli/output/ decides how it is shown.
struct Diagnostic {
  std::string_view rule;
  Severity severity = Severity::error;
  Span where;
  std::string message;
  Subject subject;
  std::vector<Note> notes;
  std::string help;       ///< what to write instead; may be empty
  std::string snippet{};  ///< lines of YAML to write, as `help` says; may be empty
  /// When the suppression of the finding expired: "2026-06-30"; empty if it had none.
  std::string expired{};
  /// The clusters that it applies to, where its object is for several.
  std::vector<std::string> clusters{};
  /// The variants of charts that it applies to, where there are several.
  std::vector<std::string> variants{};
  /// The releases with which it applies, where several are stated: "KServe 0.13".
  std::vector<std::string> releases{};
  std::size_t all_variants = 0;  ///< how many there are for its file or its chart
  /// The file that it was rendered from, if only that is known: of a package, or in Helm's
  /// `# Source:` comment.
  std::string rendered_from;
  /// If `where` is in a source of rendered text: what prints the value, and last its place in the
  /// rendered text.
  std::vector<Span> printed_at{};
  std::optional<Fix> fix{};
  std::optional<Suppression> suppression{};
  /// What decides is unknown. The severity is that of the rule for such findings, whatever severity
  /// is configured for its other ones.
  bool undecided = false;
};

}  // namespace cnsched
