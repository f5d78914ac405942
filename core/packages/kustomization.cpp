#include "core/packages/kustomization.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <set>

#include "core/source/path.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/split.h"
#include "core/yaml/write.h"

namespace cnsched::packages {

namespace {

/// Reads names of one kustomization, each field's once: an alias may repeat a long one a million
/// times.
class Names {
 public:
  Names(const yaml::Node& root, std::vector<KustomizeEntry>& entries)
      : root_(root), entries_(entries) {}

  /// The items of lists: names, or mappings with a `path`.
  void add_lists(std::initializer_list<std::string_view> fields) {
    for (const std::string_view field : fields) {
      for (const yaml::Node* item : root_.under(field).items()) {
        add(item->is_scalar() ? *item : (*item)["path"], field);
      }
    }
  }

  /// `files` and `envs` of generators; a file may have a key: "key=file".
  void add_generators(std::string_view field) {
    for (const yaml::Node* item : root_.under(field).items()) {
      for (const std::string_view list : {"files", "envs"}) {
        for (const yaml::Node* name : item->under(list).items()) add(*name, field, true);
      }
      add((*item)["env"], field);
    }
  }

  void add(const yaml::Node& node, std::string_view field, bool may_have_key = false) {
    std::string_view name = node.text();
    if (may_have_key) name.remove_prefix(name.find('=') + 1);
    // What is longer, or has several lines, is a manifest, not a name.
    if (name.empty() || name.size() >= PATH_MAX || name.find('\n') != std::string_view::npos)
      return;
    if (!known_.insert({field, name}).second) return;
    entries_.push_back({std::string(name), std::string(field), node.span});
  }

 private:
  const yaml::Node& root_;
  std::vector<KustomizeEntry>& entries_;
  std::set<std::pair<std::string_view, std::string_view>> known_;
};

bool adds_selectors(const yaml::Node& root) {
  if (!root["commonLabels"].is_empty()) return true;
  return std::ranges::any_of(root["labels"].items(), [](const yaml::Node* item) {
    return yaml::boolean_of((*item)["includeSelectors"].text()) == true;
  });
}

/// Adds what `field` lists: names of files, texts, or mappings with one of them.
void add_changes(const yaml::Node& root, std::string_view field, Kustomization& result) {
  std::set<const char*> known;  // an alias may repeat one
  for (const yaml::Node* item : root.under(field).items()) {
    const auto entries = item->entries();
    const yaml::Node& first = entries.empty() ? *item : *entries.front().key;
    if (!known.insert(first.text().data()).second) continue;
    const yaml::Node& path = item->is_scalar() ? *item : (*item)["path"];
    const yaml::Node& patch = (*item)["patch"];
    const yaml::Node& target = (*item)["target"];
    const bool is_file = path && path.text().find('\n') == std::string_view::npos;
    result.changes.push_back({.file = std::string(is_file ? path.text() : ""),
                              .text = is_file             ? ""
                                      : path              ? std::string(path.text())
                                      : patch.is_scalar() ? std::string(patch.text())
                                                          : yaml::to_yaml(*item),
                              .has_target = target || field == "replacements",
                              .kind = std::string(target["kind"].text()),
                              .name = std::string(target["name"].text())});
  }
}

/// Where a kustomization finds a chart.
struct ChartSource {
  std::string_view version;
  std::string_view repository;
  std::string_view home;  ///< empty: "charts"
};

/// Source: kustomize 5.6 HelmChartInflationGenerator.go, absChartHome.
void add_chart(const yaml::Node& name, const ChartSource& source, std::string_view field,
               Kustomization& result) {
  constexpr std::size_t kMaxCharts = 1000;  // an alias may repeat one
  if (name.text().empty() || result.charts.size() == kMaxCharts) return;
  std::string directory(source.home.empty() ? "charts" : source.home);
  if (!source.version.empty() && !source.repository.empty()) {
    directory = joined(directory, fmt::format("{}-{}", name.text(), source.version));
  }
  result.charts.push_back({joined(directory, name.text()), std::string(field), name.span});
}

void add_root(const yaml::Node& root, Kustomization& result) {
  const std::string_view kind = root["kind"].text();
  if (!kind.empty() && kind != "Kustomization" && kind != "Component") return;
  result.is_component = result.is_component || kind == "Component";
  if (result.ns.empty()) result.ns = root["namespace"].text();
  Names(root, result.resources).add_lists({"resources", "bases", "components"});
  // The first versions had `patches: [FILE]`, and kustomize still reads it.
  Names(root, result.patches).add_lists({"patches", "patchesStrategicMerge"});
  for (const std::string_view field :
       {"patches", "patchesStrategicMerge", "patchesJson6902", "replacements", "transformers"}) {
    add_changes(root, field, result);
  }
  result.renames = result.renames || root["namePrefix"] || root["nameSuffix"];
  for (const yaml::Node* var : root["vars"].items()) result.vars.emplace((*var)["name"].text());
  Names others(root, result.others);
  others.add_lists({"patchesJson6902", "crds", "configurations", "generators", "transformers",
                    "validators", "replacements"});
  others.add_generators("configMapGenerator");
  others.add_generators("secretGenerator");
  others.add(root["openapi"]["path"], "openapi");
  const std::string_view home = root["helmGlobals"]["chartHome"].text();
  for (const yaml::Node* chart : root["helmCharts"].items()) {
    add_chart((*chart)["name"], {(*chart)["version"].text(), (*chart)["repo"].text(), home},
              "helmCharts", result);
  }
  for (const yaml::Node* chart : root["helmChartInflationGenerator"].items()) {
    add_chart((*chart)["chartName"],
              {(*chart)["chartVersion"].text(), (*chart)["chartRepoUrl"].text(),
               (*chart)["chartHome"].text()},
              "helmChartInflationGenerator", result);
  }
  result.adds_selectors = result.adds_selectors || adds_selectors(root);
}

}  // namespace

bool is_kustomization(std::string_view path) {
  return std::ranges::find(kKustomizationNames, file_name_of(path)) !=
         std::ranges::end(kKustomizationNames);
}

Kustomization read_kustomization(const SourceFile& file) {
  Kustomization result;
  for (const Span where : yaml::split(file)) add_root(*yaml::parse(file, where).root, result);
  return result;
}

}  // namespace cnsched::packages
