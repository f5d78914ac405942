#include "rules/config/config_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/base/text.h"
#include "core/base/version.h"
#include "core/packages/variants.h"
#include "core/yaml/scalar.h"

namespace cnsched::rules {

namespace {

using yaml::Node;
using yaml::Shape;
using Type = Shape::Type;

constexpr std::int64_t kMaxSeconds = 86'400;

/// Helm would fetch it.
std::string mistake_of_values(std::string_view file) {
  if (!packages::is_address(file)) return {};
  return fmt::format("'{}' is an address, and nothing is fetched: name a file", file);
}

/// The name is part of the names of files and of messages.
std::string mistake_of_variant(std::string_view name) {
  constexpr std::string_view kMore = "-_.";
  const bool fits =
      !name.empty() && is_alphanumeric(name.front()) && std::ranges::all_of(name, [&](char c) {
        return is_alphanumeric(c) || kMore.find(c) != std::string_view::npos;
      });
  if (fits) return {};
  return fmt::format("'{}' is not a valid name of a variant: use letters, digits, '-', '_' and '.'",
                     name);
}

/// The pattern is relative to the chart, and stays in it.
std::string mistake_of_pattern(std::string_view pattern) {
  const bool leaves = pattern.starts_with('/') || pattern.starts_with("..") ||
                      pattern.find("/..") != std::string_view::npos;
  if (!leaves) return {};
  return fmt::format("'{}' leads out of the chart: a pattern is relative to each chart", pattern);
}

std::string mistake_of_kubernetes(std::string_view text) {
  if (Version::parse(text)) return {};
  return fmt::format("'{}' is not a version such as \"1.34\"", text);
}

Shape list_of(const Shape& shape) { return {.type = Type::list, .parts = {shape}}; }

Shape texts_of_render() { return list_of({.filled = true}); }

Shape variants_shape() {
  return list_of(
      {.type = Type::record,
       .fields = {
           {"name",
            "Name of the variant in findings.",
            "",
            {.filled = true,
             .pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$",
             .mistake = mistake_of_variant},
            true},
           {"values", "Values files, besides the chart's own `values.yaml`.", "",
            list_of(
                {.filled = true, .pattern = "^([^:]|:(?!//))*$", .mistake = mistake_of_values})},
           {"set", "Values, as of `helm template --set`: `K=V`.", "", texts_of_render()},
           {"namespace", "The namespace of the release.", "", {.filled = true}},
           {"releaseName",
            "The name of the release. Without it, the chart's directory.",
            "",
            {.filled = true}},
           {"kubernetes",
            "The version of Kubernetes that templates are rendered for.",
            "",
            {.pattern = R"(^v?[0-9]+(\.[0-9]+){0,2}$)", .mistake = mistake_of_kubernetes}},
           {"apiVersions", "Further API versions that the cluster has.", "", texts_of_render()}}});
}

Shape charts_shape() {
  return list_of(
      {.type = Type::record,
       .fields = {
           {"path", "The directory of the chart, or its archive.", "", {.filled = true}, true},
           {"variants", "What the chart is rendered with, each by itself.", "", variants_shape(),
            true}}});
}

std::vector<std::string> texts_in(const Node& list) {
  std::vector<std::string> texts;
  if (list.is_string()) texts.emplace_back(list.text());
  for (const Node* item : list.items()) texts.emplace_back(item->text());
  return texts;
}

std::string text_in(const Node& node) { return node.is_null() ? "" : std::string(node.text()); }

std::string path_in(const Node& node, const std::string& directory) {
  const std::string name = text_in(node);
  if (name.empty()) return name;
  return (std::filesystem::path(directory) / name).lexically_normal().string();
}

/// Patterns of paths below the directory.
std::vector<std::string> patterns_in(const Node& list, const std::string& directory) {
  std::vector<std::string> patterns;
  for (const Node* each : list.items()) patterns.push_back(path_in(*each, directory));
  return patterns;
}

packages::Variant read_variant(const Node& node, const std::string& directory) {
  packages::Variant variant{.name = text_in(node["name"]),
                            .sets = texts_in(node["set"]),
                            .ns = text_in(node["namespace"]),
                            .release = text_in(node["releaseName"]),
                            .kubernetes = text_in(node["kubernetes"]),
                            .api_versions = texts_in(node["apiVersions"])};
  for (const Node* file : node["values"].items()) {
    variant.values.push_back(path_in(*file, directory));
  }
  return variant;
}

}  // namespace

Shape render_shape() {
  const Shape engine{.what = "engine", .words = {"helm", "kustomize", "all"}};
  return {
      .type = Type::record,
      .fields = {
          {"engines",
           "What is rendered, as of `--render`: `helm`, `kustomize` or `all`.",
           "[helm]",
           {.type = Type::either, .parts = {engine, list_of(engine)}}},
          {"helm", "The program helm. Without it, the one on PATH.", "", {.filled = true}},
          {"kustomize",
           "The program kustomize, or kubectl. Without it, the one on PATH.",
           "",
           {.filled = true}},
          {"timeout",
           "Seconds after which a program is ended, as of `--render-timeout`.",
           "60",
           {.type = Type::integer}},
          {"exclude",
           "Patterns of charts and overlays that are not rendered. Their files are checked as they "
           "are.",
           "[charts/old, overlays/*-test]",
           list_of({.filled = true, .mistake = mistake_of_pattern})},
          {"mayFail",
           "Patterns of charts and overlays that may fail to render. Their files are checked as "
           "they are then, and the exit code is not 3 for it.",
           "[overlays/**]", list_of({.filled = true, .mistake = mistake_of_pattern})},
          {"valuesFiles",
           "Patterns of values files in the directory of each chart. Each file is a variant of the "
           "chart, named after the file.",
           "[values-*.yaml, ci/*.yaml]", list_of({.filled = true, .mistake = mistake_of_pattern})},
          {"charts",
           "The variants of charts. Each is judged as if it were alone in its cluster. A chart "
           "with variants is not rendered without them.",
           "\n- path: charts/llama\n  variants:\n  - {name: dev}\n  - name: prod\n    values: "
           "[envs/prod.yaml]\n    set: [gpus=8]\n    namespace: ml\n    kubernetes: \"1.34\"",
           charts_shape()}}};
}

void check_render(const Node& section, bool named, yaml::StrictReader& reader) {
  if (!section) return;
  if (!named) {
    reader.error(section,
                 "'render' starts programs: only the file given with -c may have it, not one that "
                 "is found or extended; move it to a file of your own and use 'cnsched lint -c "
                 "FILE'");
    return;
  }
  const auto seconds = yaml::integer_of(section["timeout"]);
  if (section["timeout"].type == yaml::ScalarType::integer &&
      (!seconds || *seconds < 1 || *seconds > kMaxSeconds)) {
    reader.error(section["timeout"], "'timeout' must be from 1 to {} seconds", kMaxSeconds);
  }
  for (const Node* chart : section["charts"].items()) {
    std::set<std::string_view> names;
    for (const Node* variant : (*chart)["variants"].items()) {
      const Node& name = (*variant)["name"];
      if (name.is_string() && !names.insert(name.text()).second) {
        reader.error(name, "two variants of the chart are named '{}'", name.text());
      }
    }
  }
}

packages::RenderSettings read_render(const Node& section, const std::string& directory) {
  packages::RenderSettings settings{.helm = path_in(section["helm"], directory),
                                    .kustomize = path_in(section["kustomize"], directory),
                                    .exclude = patterns_in(section["exclude"], directory),
                                    .may_fail = patterns_in(section["mayFail"], directory),
                                    .values_files = texts_in(section["valuesFiles"])};
  for (const std::string& name : texts_in(section["engines"])) settings.kinds.add(name);
  if (const auto seconds = yaml::integer_of(section["timeout"])) {
    settings.timeout = static_cast<std::size_t>(*seconds);
  }
  for (const Node* item : section["charts"].items()) {
    packages::ChartVariants chart{.path = path_in((*item)["path"], directory)};
    for (const Node* each : (*item)["variants"].items()) {
      chart.variants.push_back(read_variant(*each, directory));
    }
    settings.charts.push_back(std::move(chart));
  }
  return settings;
}

}  // namespace cnsched::rules
