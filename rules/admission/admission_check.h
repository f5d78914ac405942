#pragma once

#include <cstdint>
#include <string_view>

namespace cnsched::rules {

/// The check of a rule as expressions of CEL, which the API server evaluates when an object is
/// created or updated. `cnsched export vap` writes them as policies.
///
/// An expression is a list of messages, empty if nothing is found: those of the C++ check, with its
/// advice behind "; ". It may use the fragments of rules/admission/fragment_table.cpp like
/// functions and variables. It reads `pod` or `object`, and `params.data` for facts about the
/// cluster. Only what Kubernetes 1.30 has is allowed. An argument of a fragment has no operators,
/// so that it may stand anywhere.
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
  /// What the C++ check finds and the expressions do not, as people read it behind "without".
  std::string_view without{};
};

// Why rules have no such check.

inline constexpr std::string_view kReadsText =
    "it reads the text of a file, which the API server does not get";
inline constexpr std::string_view kServerRejects = "the API server rejects such objects itself";
inline constexpr std::string_view kReadsOtherObjects = "it depends on other objects";

}  // namespace cnsched::rules
