#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/embedded_file.h"
#include "rules/rule.h"

namespace cnsched::rules {

/// A part of a .cel file: "// NAME: TEXT", to the next one. Lines with "///" are comments.
struct CelSection {
  std::string_view name;
  std::string_view text;
};

std::vector<CelSection> cel_sections(const EmbeddedFile& file);

/// The check of a rule as expressions of CEL, which the API server evaluates when an object is
/// created or updated: for a rule that the admitted object and facts about the cluster decide
/// alone. `cnsched export vap` writes them as policies. ID.cel beside the rule's code has the
/// members in the form "// NAME: TEXT"; an expression begins on the next line.
///
/// An expression is a list of messages, empty if nothing is found: those of the C++ check, with its
/// advice after "; ". It may use the fragments of rules/admission/cel/functions.cel like
/// functions and variables. It reads `pod` or `object`, and `params.data` for facts about the
/// cluster. Only what Kubernetes 1.30 has is allowed. An argument of a fragment has no operators,
/// so that it may be anywhere.
struct AdmissionCheck {
  /// What the expressions read.
  enum class Of : std::uint8_t {
    pod,     ///< `pod`, each pod that the object describes, as far as it describes it
    object,  ///< `object`
  };
  Of of = Of::pod;
  /// The kinds that are checked, separated by spaces; empty: all that describe pods.
  std::string_view kinds{};
  // The findings by the severity that the C++ check gives them.
  std::string_view errors{};
  std::string_view warnings{};
  std::string_view infos{};
  /// What the C++ check finds and the expressions do not, as people read it after "without".
  std::string_view without{};
};

/// The check of the rule, or null.
const AdmissionCheck* admission_of(const Rule& rule);

/// Throws if the file has a name that is none of a member.
AdmissionCheck read_admission_check(const EmbeddedFile& file);

}  // namespace cnsched::rules
