#include "rules/engine/fingerprint.h"

#include <fmt/format.h>

#include "core/base/md5.h"
#include "core/source/path.h"

namespace cnsched::rules {

namespace {

/// Each part has its length in front, because names and paths may contain any character.
void append(std::string& text, std::string_view part) {
  text += std::to_string(part.size());
  text += ':';
  text += part;
}

}  // namespace

std::string FingerprintMaker::next(std::string_view rule, std::string_view file,
                                   const Subject& subject) {
  return md5_hex(next_identity(rule, file, subject));
}

std::string FingerprintMaker::next_identity(std::string_view rule, std::string_view file,
                                            const Subject& subject) {
  std::string identity;
  append(identity, rule);
  append(identity, file);
  for (const std::string* part : {&subject.api_version, &subject.kind, &subject.ns, &subject.name,
                                  &subject.component, &subject.pointer}) {
    append(identity, *part);
  }
  append(identity, std::to_string(seen_[identity]++));
  return identity;
}

std::vector<std::string> fingerprints(const Workspace& workspace,
                                      const std::vector<Diagnostic>& findings) {
  RepositoryPaths paths;
  FingerprintMaker maker;
  std::vector<std::string> result;
  for (const Diagnostic& finding : findings) {
    const std::string file = paths.of(workspace.file_of(finding.where).path());
    result.push_back(maker.next(finding.rule, file, finding.subject));
  }
  return result;
}

}  // namespace cnsched::rules
