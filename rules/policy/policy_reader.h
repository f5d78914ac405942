#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/source/source_file.h"
#include "core/yaml/shape.h"
#include "rules/policy/policy.h"

namespace cnsched::rules {

inline constexpr std::string_view kPolicyApiVersion = "cnsched/v1";
inline constexpr std::string_view kPolicyKind = "Policy";

/// The most policies of one configuration, and files of policies that it names.
inline constexpr std::size_t kMaxPolicies = 1000;
inline constexpr std::size_t kMaxPolicyFiles = 1000;

/// Whether the text can be the id of a policy.
bool is_policy_id(std::string_view id);

/// Reports names, or the name, of kinds that no object has; patterns are not judged.
void check_kinds(const yaml::Node& kinds, yaml::StrictReader& reader);

/// Reads a policy that has been checked against its shape. Reports other mistakes to `reader`; the
/// result is then incomplete. Files with manifests are relative to the file, and are read.
std::shared_ptr<const Policy> read_policy(const yaml::Node& node, const SourceFile& file,
                                          yaml::StrictReader& reader);

/// Reads the documents of a file that are policies, and ignores others.
std::vector<std::shared_ptr<const Policy>> read_policies(const SourceFile& file,
                                                         std::vector<Error>& errors);

/// The files with policies that `path`, a file or a directory, names, sorted. Fails if it does
/// not exist, or has too many or a link out of the repository.
Result<std::vector<std::string>> policy_files(const std::string& path);

/// The ids that policies may have, for schemas (ECMA 262).
inline constexpr std::string_view kPolicyIdPattern = "^[a-z][a-z0-9]*(-[a-z0-9]+)*$";
/// Why `id` cannot be one; empty if it can.
std::string mistake_of_policy_id(std::string_view id);

/// The keys of a policy, without those of conditions, which the reader of policies checks.
const yaml::Shape& policy_shape();
/// The same for a file of its own, with `apiVersion` and `kind`.
const yaml::Shape& policy_file_shape();

/// Reads the conditions of one policy.
class ConditionReader {
 public:
  /// `kinds`: those that the policy matches, which decide where JSON Pointers may lead.
  ConditionReader(yaml::StrictReader& reader, const MatchCriteria::Patterns& kinds);
  ~ConditionReader();
  ConditionReader(const ConditionReader&) = delete;
  ConditionReader& operator=(const ConditionReader&) = delete;

  /// Nothing, with errors, for a mistake.
  std::optional<Condition> read(const yaml::Node& node, std::string_view name);
  /// One condition, or each of a list.
  std::vector<Condition> read_all(const yaml::Node& node, std::string_view name);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cnsched::rules
