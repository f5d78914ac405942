#include "core/packages/kustomization.h"

#include <algorithm>
#include <climits>
#include <set>

#include "core/source/path.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/split.h"

namespace cnsched {

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
      for (const yaml::Node* item : root_[field].items()) {
        add(item->is_scalar() ? *item : (*item)["path"], field);
      }
    }
  }

  /// `files` and `envs` of generators; a file may have a key: "key=file".
  void add_generators(std::string_view field) {
    for (const yaml::Node* item : root_[field].items()) {
      for (const std::string_view list : {"files", "envs"}) {
        for (const yaml::Node* name : (*item)[list].items()) add(*name, field, true);
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

void add_root(const yaml::Node& root, Kustomization& result) {
  const std::string_view kind = root["kind"].text();
  if (!kind.empty() && kind != "Kustomization" && kind != "Component") return;
  result.is_component = result.is_component || kind == "Component";
  Names(root, result.resources).add_lists({"resources", "bases", "components"});
  // The first versions had `patches: [FILE]`, and kustomize still reads it.
  Names(root, result.patches).add_lists({"patches", "patchesStrategicMerge"});
  Names others(root, result.others);
  others.add_lists({"patchesJson6902", "crds", "configurations", "generators", "transformers",
                    "validators", "replacements"});
  others.add_generators("configMapGenerator");
  others.add_generators("secretGenerator");
  others.add(root["openapi"]["path"], "openapi");
  Names charts(root, result.charts);
  for (const yaml::Node* chart : root["helmCharts"].items())
    charts.add((*chart)["name"], "helmCharts");
  for (const yaml::Node* chart : root["helmChartInflationGenerator"].items()) {
    charts.add((*chart)["chartName"], "helmChartInflationGenerator");
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

}  // namespace cnsched
