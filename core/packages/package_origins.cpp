#include "core/packages/package_origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/packages/chart_origins.h"
#include "core/packages/kustomization.h"
#include "core/packages/overlay_origins.h"
#include "core/source/path.h"
#include "core/source/read_file.h"

namespace cnsched {

namespace {

std::vector<std::string> both(std::vector<std::string> first,
                              const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The kustomization of an overlay: what is not known better was rendered from it.
std::string kustomization_of(const Package& overlay) {
  const auto file = std::ranges::find_if(overlay.files, [&](const std::string& path) {
    return is_kustomization(path) && directory_of(path) == overlay.path;
  });
  return file == overlay.files.end() ? std::string() : *file;
}

}  // namespace

struct PackageOrigins::Sources {
  std::vector<PackageSource> files;
  std::optional<MarkedTemplates> marked{};  ///< the templates of a chart, on first use
};

struct PackageOrigins::Rendered {
  Rendered(Package of, std::string bytes, std::shared_ptr<Sources> from)
      : package(std::move(of)), text(0, "", std::move(bytes)), sources(std::move(from)) {}

  Package package;
  SourceFile text;
  std::shared_ptr<Sources> sources;  ///< of all variants of the package
  bool is_prepared = false;
  std::optional<ChartValues> values{};
  std::optional<ChartOrigins> chart{};
  std::optional<OverlayOrigins> overlay{};
};

PackageOrigins::PackageOrigins(RenderOptions options) : options_(std::move(options)) {}
PackageOrigins::~PackageOrigins() = default;

void PackageOrigins::add(std::string name, Package package, std::string text) {
  const auto [sources, is_new] = sources_.try_emplace(package.path);
  if (is_new) sources->second = std::make_shared<Sources>(Sources{sources_of(package)});
  rendered_[std::move(name)] =
      std::make_unique<Rendered>(std::move(package), std::move(text), sources->second);
}

std::vector<PackageSource> PackageOrigins::sources() const {
  std::map<std::string, std::string_view> all;
  for (const auto& [package, sources] : sources_) {
    for (const PackageSource& source : sources->files) all.emplace(source.path, source.bytes);
  }
  std::vector<PackageSource> sources;
  for (const auto& [path, bytes] : all) sources.push_back({path, std::string(bytes)});
  std::set<std::string> values(options_.helm_values.begin(), options_.helm_values.end());
  for (const auto& [name, rendered] : rendered_) {
    const std::vector<std::string>& own = rendered->package.variant.values;
    values.insert(own.begin(), own.end());
  }
  for (const std::string& path : values) {
    Result<std::string> bytes = read_file(path, kFileSizeLimit);
    if (bytes && !all.contains(path)) sources.push_back({path, *std::move(bytes)});
  }
  return sources;
}

void PackageOrigins::prepare(const std::set<std::string>& files) {
  std::vector<Package> copies;
  std::vector<Rendered*> waiting;
  for (const std::string& file : files) {
    const auto found = rendered_.find(file);
    if (found == rendered_.end() || found->second->is_prepared) continue;
    Rendered& rendered = *found->second;
    rendered.is_prepared = true;
    if (rendered.package.kind == Package::Kind::overlay) {
      rendered.overlay.emplace(rendered.package.path, rendered.sources->files);
    }
    const std::vector<PackageSource>& sources = rendered.sources->files;
    if (rendered.package.kind != Package::Kind::chart || sources.empty()) continue;
    std::optional<MarkedTemplates>& templates = rendered.sources->marked;
    if (!templates) templates = mark_templates(sources);
    Package& copy = copies.emplace_back(rendered.package);
    for (const auto& [source, text] : templates->texts) {
      copy.replaced[sources[source].path] = text;
    }
    waiting.push_back(&rendered);
  }
  const std::vector<Rendering> marked = render_packages(copies, options_);
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (marked[i].failure) continue;
    Rendered& rendered = *waiting[i];
    const Sources& sources = *rendered.sources;
    const Variant& variant = rendered.package.variant;
    rendered.values.emplace(rendered.package.path, sources.files,
                            both(variant.values, options_.helm_values),
                            both(variant.sets, options_.helm_sets));
    rendered.chart.emplace(sources.files, *sources.marked, *rendered.values, rendered.text,
                           marked[i].text);
  }
}

Origin PackageOrigins::of(const SourceFile& file, const yaml::Document& document, Span where,
                          Aspect aspect) const {
  const auto found = rendered_.find(file.path());
  if (found == rendered_.end()) return {};
  const Rendered& rendered = *found->second;
  if (rendered.chart) return rendered.chart->of(document, where, aspect);
  if (rendered.overlay) {
    Origin origin = rendered.overlay->of(file, document, where);
    if (origin.file.empty()) origin.file = kustomization_of(rendered.package);
    return origin;
  }
  const std::size_t name = document.rendered_from.find('/');
  if (rendered.package.kind != Package::Kind::chart || name == std::string::npos) return {};
  const std::string path = document.rendered_from.substr(name + 1);
  if (rendered.sources->files.empty())
    return {.file = fmt::format("{}:{}", rendered.package.path, path)};
  return {.file = joined(rendered.package.path, path)};
}

}  // namespace cnsched
