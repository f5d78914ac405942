#include "rules/config/config_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/text.h"
#include "core/facts/cluster_config.h"
#include "rules/config/config.h"
#include "rules/policy/policy.h"
#include "rules/policy/policy_reader.h"
#include "rules/registry.h"

namespace cnsched::rules {

namespace {

using yaml::Shape;
using Type = Shape::Type;

Shape texts_shape() { return {.type = Type::list, .parts = {{.filled = true}}}; }

Shape levels_shape() {
  const Shape level{.off_too = true, .what = "severity", .words = level_names()};
  const Shape settings{
      .type = Type::record,
      .fields = {
          {"severity", "`error`, `warning`, `info`, or `off` to disable the rule.", "", level}}};
  std::vector<std::string_view> words = rule_words();
  words.push_back(kPolicyGroup);
  // The reader knows which policies there are.
  return {.type = Type::map,
          .what = "rule or group of rules ('cnsched rules' lists them)",
          .words = std::move(words),
          .pattern = kPolicyIdPattern,
          .mistake = mistake_of_policy_id,
          .parts = {{.type = Type::either, .parts = {level, settings}}}};
}

Shape objects_shape() {
  const Shape name{};
  return {.type = Type::list,
          .parts = {{.type = Type::record,
                     .fields = {{"kind", "The kind of the object.", "", name},
                                {"name", "The name of the object.", "", name},
                                {"namespace", "The namespace of the object in its manifest.", "",
                                 name}}}}};
}

Shape overrides_shape() {
  return {
      .type = Type::list,
      .parts = {{.type = Type::record,
                 .fields = {{"files", "Patterns, as in `exclude`.", "", texts_shape()},
                            {"objects",
                             "One of these must match. Names, or patterns with `*`, `?` and `[…]`; "
                             "an omitted field matches everything.",
                             "", objects_shape()},
                            {"rules", "As in the top-level `rules`.", "", levels_shape(), true}}}}};
}

Shape clusters_shape() {
  return {.type = Type::list,
          .parts = {
              {.type = Type::record,
               .fields = {{"name", "Name of the cluster in findings.", "", {.filled = true}, true},
                          {"files", "Patterns, as in `exclude`.", "", texts_shape(), true}}}}};
}

constexpr std::string_view kPricePattern = "^[0-9]{1,9}(\\.[0-9]{1,9})?$";

/// What is wrong with a price; empty if nothing is.
std::string price_mistake(std::string_view text) {
  constexpr std::size_t kMaxDigits = 9;
  const std::size_t point = std::min(text.find('.'), text.size());
  const auto is_number = [](std::string_view digits) {
    return !digits.empty() && digits.size() <= kMaxDigits && std::ranges::all_of(digits, is_digit);
  };
  const bool is_valid = is_number(text.substr(0, point)) &&
                        (point == text.size() || is_number(text.substr(point + 1)));
  return is_valid ? "" : fmt::format("'{}' is not a price such as 0.81", text);
}

Shape prices_shape() {
  const Shape price{.type = Type::amount, .pattern = kPricePattern, .mistake = price_mistake};
  return {.type = Type::map, .parts = {{.type = Type::map, .parts = {price}}}};
}

Shape root_shape() {
  return {
      .type = Type::record,
      .fields = {
          {"extends",
           "Configurations to extend, relative to this file. This file takes precedence "
           "over them, and a later one over an earlier one. Mappings are merged key by key; "
           "a list replaces the whole list.",
           "base.yaml",
           {.type = Type::either, .parts = {{.filled = true}, texts_shape()}}},
          {"rules",
           "`off`, `info`, `warning` or `error` for a rule, a group of rules or `all`; the "
           "most specific entry counts. `{severity: …}` is equivalent.",
           "\nseldon: off\ncustom-gpu-taint: error\npreferred-only-pin: {severity: warning}",
           levels_shape()},
          {"exclude",
           "Files to exclude, as in .gitignore, relative to this file. Files named on the "
           "command line are read nevertheless, except with `--force-exclude`.",
           "\n- charts/\n- \"*.generated.yaml\"", texts_shape()},
          {"overrides",
           "Other severities for some files and objects. All conditions of an entry must "
           "match. Of several entries, the last one that mentions a rule counts.",
           "\n- files: [staging/]\n  rules: {accelerator-request-limit: warning}\n"
           "- objects: [{kind: InferenceService, name: \"demo-*\"}]\n"
           "  rules: {preferred-only-pin: off}",
           overrides_shape()},
          {"policies",
           "Rules of your own, see docs/policies.md. Policies of extended files are kept; one "
           "with the same id replaces theirs.",
           "\n- id: research-pools\n  severity: error\n  summary: research runs on research "
           "pools only\n  match: {namespaces: [\"research-*\"], accelerators: true}\n  require:\n"
           "    nodeSelector['pool']: {in: [research-a, research-b]}",
           {.type = Type::list, .parts = {policy_shape()}}},
          {"policyFiles",
           "Files with policies, and directories with such files, relative to this file.",
           "[policies/]", texts_shape()},
          {"cluster",
           "Facts about the cluster. Facts that are not given here, in manifests or in "
           "`--cluster` files are unknown.",
           "", facts::cluster_shape()},
          {"clusters",
           "The clusters of a repository with several, and the files of each. Facts in the "
           "files of one cluster do not apply to the others. Files of no cluster are shared "
           "by all. Without this section, directories show which clusters there are.",
           "\n- name: prod\n  files: [clusters/prod/]\n- name: dev\n  files: [clusters/dev/]",
           clusters_shape()},
          {"render",
           "How charts and overlays are rendered, see docs/packages.md. Only in a file given "
           "with `-c`, because it starts programs. Flags take precedence. Paths are relative "
           "to this file.",
           "", render_shape()},
          {"prices",
           "What an accelerator costs per hour, by the resource and by the product as node "
           "labels or `cnsched generate` name it, for the totals of `cnsched diff`.",
           "\nnvidia.com/gpu: {NVIDIA-L4: 0.81, nvidia-a100-80gb: 3.67}", prices_shape()},
          {"generate",
           "For `cnsched generate` and `cnsched templates`.",
           "",
           {.type = Type::record,
            .fields = {{"templateDirs",
                        "Directories with your own templates, relative to this file.",
                        "\n- templates", texts_shape()}}}}}};
}

}  // namespace

const Shape& config_shape() {
  static const Shape shape = root_shape();
  return shape;
}

}  // namespace cnsched::rules
