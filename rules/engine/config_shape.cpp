#include "rules/engine/config_shape.h"

#include "core/workloads/cluster_config.h"
#include "rules/engine/level.h"
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
          {"severity", "`error`, `warning`, `info`, or `off`: the rule is silent.", "", level}}};
  return {.type = Type::map,
          .what = "rule or group of rules ('cnsched rules' lists them)",
          .words = rule_words(),
          .parts = {{.type = Type::either, .parts = {level, settings}}}};
}

Shape objects_shape() {
  const Shape name{};
  return {.type = Type::list,
          .parts = {{.type = Type::record,
                     .fields = {{"kind", "Of the object.", "", name},
                                {"name", "Of the object.", "", name},
                                {"namespace", "Of the object, as its manifest says.", "", name}}}}};
}

Shape overrides_shape() {
  return {.type = Type::list,
          .parts = {{.type = Type::record,
                     .fields = {{"files", "Patterns, as of `exclude`.", "", texts_shape()},
                                {"objects",
                                 "Any of these: names, or patterns with `*`, `?` and `[…]`. What "
                                 "is left out matches everything.",
                                 "", objects_shape()},
                                {"rules", "As above.", "", levels_shape(), true}}}}};
}

Shape root_shape() {
  return {
      .type = Type::record,
      .fields = {
          {"extends",
           "Configurations to build on, relative to this file. What this file says wins over "
           "them, and a later one over an earlier one: key by key in mappings, while a list "
           "replaces the whole list.",
           "base.yaml",
           {.type = Type::either, .parts = {{.filled = true}, texts_shape()}}},
          {"rules",
           "`off`, `info`, `warning` or `error` for a rule, a group of rules or `all`; the more "
           "specific word wins. `{severity: …}` says the same.",
           "\nseldon: off\ncustom-gpu-taint: error\npreferred-only-pin: {severity: warning}",
           levels_shape()},
          {"exclude",
           "Files to leave out, as in .gitignore, relative to this file. What is named on the "
           "command line is read nevertheless, unless there is `--force-exclude`.",
           "\n- charts/\n- \"*.generated.yaml\"", texts_shape()},
          {"overrides",
           "Other rules for some files and objects. All conditions of an entry have to hold; of "
           "several entries the last one that says something of a rule counts.",
           "\n- files: [staging/]\n  rules: {accelerator-request-limit: warning}\n"
           "- objects: [{kind: InferenceService, name: \"demo-*\"}]\n"
           "  rules: {preferred-only-pin: off}",
           overrides_shape()},
          {"cluster",
           "What is known of the cluster. What is not said here, in manifests or in `--cluster` "
           "files is unknown.",
           "", cluster_shape()},
          {"generate",
           "For `cnsched generate` and `cnsched templates`.",
           "",
           {.type = Type::record,
            .fields = {{"templateDirs",
                        "Directories with templates of your own, relative to this "
                        "file.",
                        "\n- templates", texts_shape()}}}}}};
}

}  // namespace

const Shape& config_shape() {
  static const Shape shape = root_shape();
  return shape;
}

}  // namespace cnsched::rules
