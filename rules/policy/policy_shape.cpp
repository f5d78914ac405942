#include "rules/policy/policy_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::rules {

namespace {

using yaml::Field;
using yaml::Shape;
using Type = Shape::Type;

Shape filled_text() { return {.filled = true}; }

/// One text, or a list of them.
Shape one_or_more() {
  return {.type = Type::either, .parts = {{}, {.type = Type::list, .parts = {{}}}}};
}

Shape labels_to_match() { return {.type = Type::map, .parts = {one_or_more()}}; }

/// A mapping, or a list of mappings, with free keys.
Shape conditions() {
  const Shape condition{.type = Type::map};
  return {.type = Type::either, .parts = {condition, {.type = Type::list, .parts = {condition}}}};
}

Shape manifests() {
  return {.type = Type::either,
          .parts = {
              filled_text(),
              {.type = Type::list,
               .parts = {{.type = Type::either, .parts = {filled_text(), {.type = Type::map}}}}}}};
}

Shape match_shape() {
  return {
      .type = Type::record,
      .fields = {
          {"kinds", "Kinds of objects. A kind without pods is only checked if it is named here.",
           "[InferenceService, Deployment]", one_or_more()},
          {"components", "Parts of an object that become pods: `predictor`, `worker`, ….",
           "predictor", one_or_more()},
          {"names", "Names of objects.", "\"llm-*\"", one_or_more()},
          {"namespaces",
           "Namespaces, as the manifest states them; `\"\"` is one that the manifest leaves to "
           "kubectl.",
           "[\"research-*\"]", one_or_more()},
          {"clusters", "Names of clusters, if the repository has several.", "prod", one_or_more()},
          {"labels", "Labels of the object: keys and patterns of values; `\"*\"` is any value.",
           "{team: \"research-*\"}", labels_to_match()},
          {"annotations", "Annotations of the object, likewise.", "{owner: \"*\"}",
           labels_to_match()},
          {"files", "Files, as in `exclude`.", "[prod/]", one_or_more()},
          {"accelerators",
           "Whether the pod requests accelerators.",
           "true",
           {.type = Type::boolean}}}};
}

std::vector<Field> policy_fields() {
  return {
      {"id",
       "Used like the id of a rule: in findings, `--select`, `rules` and suppressions.",
       "research-pools",
       {.filled = true, .pattern = kPolicyIdPattern, .mistake = mistake_of_policy_id},
       true},
      {"severity",
       "`error`, `warning` (default) or `info`.",
       "error",
       {.what = "severity", .words = {"error", "warning", "info"}}},
      {"summary", "What the policy wants, in one line; findings end with it.",
       "research runs on research pools only", filled_text(), true},
      {"why", "Why it matters, for `cnsched explain`.", "", {}},
      {"help",
       "What to write instead, below each finding.",
       "set nodeSelector['pool'] to research-a or research-b",
       {}},
      {"source", "Address of a page about the policy.", "", {}},
      {"match", "The objects and pods that the policy is for: all of these must match.", "",
       match_shape()},
      {"exclude", "The same keys: what matches all of them is not checked.", "", match_shape()},
      {"when",
       "A condition on the pod: only pods that meet it are checked.",
       "",
       {.type = Type::map}},
      {"require", "Conditions that must hold.",
       "\nnodeSelector['pool']: {in: [research-a, research-b]}", conditions()},
      {"forbid", "Conditions of which none may hold.", "\nimage: {matches: \":latest$\"}",
       conditions()},
      {"onUnknown",
       "How a pod is reported that cannot be decided, because a runtime or another fact is "
       "unknown: `warning`, `info` (default) or `silent`.",
       "info",
       {.what = "severity", .words = {"warning", "info", "silent"}}},
      {"good", "Manifests that meet the policy: YAML, or files beside this one.", "", manifests()},
      {"bad", "Manifests that violate it.", "", manifests()}};
}

}  // namespace

std::string mistake_of_policy_id(std::string_view id) {
  if (is_policy_id(id)) return {};
  return fmt::format(
      "'{}' is not a valid id: use at most 63 lower-case letters, digits and '-', beginning with a "
      "letter",
      id);
}

const Shape& policy_shape() {
  static const Shape shape{.type = Type::record, .fields = policy_fields()};
  return shape;
}

const Shape& policy_file_shape() {
  static const Shape shape = [] {
    std::vector<Field> fields = {
        {"apiVersion", "", "", {.what = "apiVersion", .words = {kPolicyApiVersion}}, true},
        {"kind", "", "", {.what = "kind", .words = {kPolicyKind}}, true}};
    const std::vector<Field> others = policy_fields();
    fields.insert(fields.end(), others.begin(), others.end());
    return Shape{.type = Type::record, .fields = std::move(fields)};
  }();
  return shape;
}

}  // namespace cnsched::rules
