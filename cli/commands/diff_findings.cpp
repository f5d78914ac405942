#include "cli/commands/diff_side.h"

#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "rules/engine/fingerprint.h"

namespace cnsched::cli {

namespace {

using Findings = std::vector<const Diagnostic*>;
/// Kind, namespace and name of an object.
using ObjectName = std::tuple<std::string, std::string, std::string>;

ObjectName object_name(const sim::Simulated& pod) {
  const k8s::Object& object = *pod.workload->object;
  return {std::string(object.kind), std::string(object.ns.name), std::string(object.name)};
}

/// The new names of renamed objects.
std::map<ObjectName, ObjectName> renamed_objects(const change::Difference& difference) {
  std::map<ObjectName, ObjectName> names;
  for (const change::PodChange& pod : difference.pods) {
    if (pod.kind != change::PodChange::Kind::renamed) continue;
    names.emplace(object_name(*pod.before), object_name(*pod.after));
  }
  return names;
}

Findings pointers_to(const std::vector<Diagnostic>& findings) {
  Findings pointers;
  for (const Diagnostic& finding : findings) pointers.push_back(&finding);
  return pointers;
}

/// Pairs the findings of both sides, and removes the pairs.
class Pairing {
 public:
  using FileOf = std::function<std::string(const Diagnostic&)>;

  Pairing(FindingChanges& left, std::map<ObjectName, ObjectName> renamed)
      : left_(left), renamed_(std::move(renamed)) {}

  void remove(const FileOf& file_before, const FileOf& file_after) {
    rules::FingerprintMaker maker;
    std::unordered_map<std::string, const Diagnostic*> before;
    for (const Diagnostic* finding : left_.resolved) {
      before.emplace(
          maker.next_identity(finding->rule, file_before(*finding), subject_after(*finding)),
          finding);
    }
    rules::FingerprintMaker maker_after;
    Findings added;
    std::set<const Diagnostic*> paired;
    for (const Diagnostic* finding : left_.added) {
      const auto same = before.find(
          maker_after.next_identity(finding->rule, file_after(*finding), finding->subject));
      if (same == before.end()) {
        added.push_back(finding);
      } else {
        paired.insert(same->second);
      }
    }
    left_.added = std::move(added);
    std::erase_if(left_.resolved,
                  [&](const Diagnostic* finding) { return paired.contains(finding); });
  }

 private:
  /// What the subject is called on the new side.
  Subject subject_after(const Diagnostic& finding) const {
    Subject subject = finding.subject;
    const auto name = renamed_.find({subject.kind, subject.ns, subject.name});
    if (name != renamed_.end()) std::tie(subject.kind, subject.ns, subject.name) = name->second;
    return subject;
  }

  FindingChanges& left_;
  std::map<ObjectName, ObjectName> renamed_;
};

}  // namespace

FindingChanges compare_findings(const FindingsOfSide& before, const FindingsOfSide& after,
                                const change::Difference& difference) {
  FindingChanges changes{pointers_to(after.findings), pointers_to(before.findings)};
  Pairing pairing(changes, renamed_objects(difference));
  const auto file_in = [](const FindingsOfSide& side) {
    return [&side](const Diagnostic& finding) {
      return side.pair_name(side.workspace.file_of(finding.where).path());
    };
  };
  pairing.remove(file_in(before), file_in(after));
  const auto any_file = [](const Diagnostic& /*finding*/) { return std::string(); };
  pairing.remove(any_file, any_file);
  return changes;
}

}  // namespace cnsched::cli
