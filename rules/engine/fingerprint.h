#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workspace/workspace.h"

namespace cnsched::rules {

/// Makes fingerprints of the findings of one run.
class FingerprintMaker {
 public:
  /// 32 hexadecimal digits from the rule, the file, and the object, component and path of the
  /// subject. Of findings that are equal in all of these, the order counts.
  std::string next(std::string_view rule, std::string_view file, const Subject& subject);
  /// The text that the next fingerprint is made of, which is enough within one run.
  std::string next_identity(std::string_view rule, std::string_view file, const Subject& subject);

 private:
  std::unordered_map<std::string, std::size_t> seen_;
};

/// For each finding an identifier that does not depend on line numbers, other files or the working
/// directory: 32 hexadecimal digits from its rule, its file (relative to the repository's root),
/// its object, component and path. Unique in a run.
std::vector<std::string> fingerprints(const Workspace& workspace,
                                      const std::vector<Diagnostic>& findings);

}  // namespace cnsched::rules
