#include "core/workspace/variant_scopes.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>

#include "core/workspace/scope_search.h"

namespace cnsched {

namespace {

/// The variants of each chart whose objects a scope sees, by the chart.
using Variants = std::map<std::string_view, std::set<std::string_view>>;

/// Splits one scope.
class Split {
 public:
  Split(const Workspace& workspace, const ClusterScope::Content& content)
      : workspace_(workspace), content_(content) {
    for (const k8s::Object& object : content.objects) {
      const FileId file = object.root->span.file;
      const RenderedVariant& variant = workspace.variant_of(file);
      if (variant.name.empty()) continue;
      by_chart_[variant.chart].insert(variant.name);
      if (content.judges(file)) names_.insert(variant.name);
    }
  }

  const std::set<std::string_view>& names() const { return names_; }

  /// The part of the scope that is for charts rendered with this variant.
  ClusterScope::Content part(std::string_view name) const {
    ClusterScope::Content part{.name = content_.name,
                               .variant = std::string(name),
                               .releases = content_.releases,
                               .objects = {}};
    for (const k8s::Object& object : content_.objects) {
      if (sees(object.root->span.file, name)) part.objects.emplace_back(object);
    }
    for (const PlacedDefinition* each : content_.definitions) {
      if (sees(each->file, name)) part.definitions.push_back(each);
    }
    part.judged_files.resize(workspace_.sources.size());
    for (FileId file = 0; file < part.judged_files.size(); ++file) {
      const std::string& of = workspace_.variant_of(file).name;
      part.judged_files[file] = content_.judges(file) && (of.empty() || of == name);
    }
    return part;
  }

 private:
  bool sees(FileId file, std::string_view name) const {
    const RenderedVariant& variant = workspace_.variant_of(file);
    if (variant.name.empty() || variant.name == name) return true;
    const auto chart = by_chart_.find(variant.chart);
    if (chart == by_chart_.end() || chart->second.contains(name)) return false;
    return variant.name == *chart->second.begin();
  }

  const Workspace& workspace_;
  const ClusterScope::Content& content_;
  Variants by_chart_;
  std::set<std::string_view> names_;
};

}  // namespace

Result<std::vector<ClusterScope::Content>> split_by_variants(
    const Workspace& workspace, std::vector<ClusterScope::Content> contents) {
  std::vector<ClusterScope::Content> parts;
  std::size_t objects = 0;
  for (ClusterScope::Content& content : contents) {
    const Split split(workspace, content);
    if (split.names().empty()) {
      parts.push_back(std::move(content));
      continue;
    }
    objects += split.names().size() * content.objects.size();
    if (objects > FoundScopes::kMaxShared) {
      return Error{fmt::format("{} variants share too many objects", split.names().size())};
    }
    for (const std::string_view name : split.names()) parts.push_back(split.part(name));
  }
  return parts;
}

}  // namespace cnsched
