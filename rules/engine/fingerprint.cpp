#include "rules/engine/fingerprint.h"

#include <fmt/format.h>

#include <map>

#include "core/base/md5.h"
#include "core/source/path.h"

namespace cnsched::rules {

namespace {

/// Each part has its length in front, because names and paths may contain any character.
void append(std::string& text, std::string_view part) {
  text += fmt::format("{}:", part.size());
  text += part;
}

}  // namespace

std::vector<std::string> fingerprints(const Workspace& workspace,
                                      const std::vector<Diagnostic>& findings) {
  RepositoryPaths paths;
  std::map<std::string, std::size_t> seen;
  std::vector<std::string> result;
  for (const Diagnostic& finding : findings) {
    const Subject& subject = finding.subject;
    std::string identity;
    append(identity, finding.rule);
    append(identity, paths.of(workspace.file_of(finding.where).path()));
    for (const std::string& part : {subject.api_version, subject.kind, subject.ns, subject.name,
                                    subject.component, subject.pointer}) {
      append(identity, part);
    }
    // A counter distinguishes findings that are equal in all of these.
    append(identity, std::to_string(seen[identity]++));
    result.push_back(md5_hex(identity));
  }
  return result;
}

}  // namespace cnsched::rules
