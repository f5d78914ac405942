#include "core/packages/package_origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "core/base/text.h"
#include "core/packages/chart.h"
#include "core/packages/kustomization.h"
#include "core/packages/origin_search.h"
#include "core/source/path.h"
#include "core/source/read_file.h"

namespace cnsched::packages {

namespace fs = std::filesystem;

namespace {

/// The path, of which `here` was the working directory.
std::string absolute(const fs::path& here, const std::string& path) {
  std::string result = (here / path).lexically_normal().string();
  if (result.size() > 1 && result.ends_with('/')) result.pop_back();
  return result;
}

/// The same package, wherever the working directory is.
Package absolute(const fs::path& here, Package package) {
  package.path = absolute(here, package.path);
  for (auto* paths : {&package.files, &package.charts, &package.variant.values}) {
    for (std::string& path : *paths) path = absolute(here, path);
  }
  return package;
}

/// The kustomization of an overlay: what is not known better was rendered from it.
std::string kustomization_of(const Package& overlay) {
  const auto file = std::ranges::find_if(overlay.files, [&](const std::string& path) {
    return is_kustomization(path) && directory_of(path) == overlay.path;
  });
  return file == overlay.files.end() ? std::string() : *file;
}

using Key = std::tuple<std::uint32_t, std::uint32_t, Aspect>;

Key key_of(const OriginQuestion& question) {
  return {question.where.begin, question.where.end, question.aspect};
}

}  // namespace

struct PackageOrigins::Rendered {
  Rendered(Package named, std::string bytes, std::shared_ptr<const Files> from)
      : package(std::move(named)), text(0, "", std::move(bytes)), files(std::move(from)) {
    std::error_code error;
    here = fs::current_path(error);
  }

  std::vector<PackageSource> sources() const {
    Files all = *files;
    all.insert(all.end(), values.begin(), values.end());
    return all;
  }

  Package package;  ///< as the user names it
  fs::path here{};  ///< the working directory then
  SourceFile text;
  std::shared_ptr<const Files> files;         ///< of all variants of the package
  Files values{};                             ///< others of this variant
  std::size_t runs = OriginSearch::kMaxRuns;  ///< that are left
  std::map<Key, Origin> origins{};
};

PackageOrigins::PackageOrigins(RenderOptions options) : options_(std::move(options)) {}
PackageOrigins::~PackageOrigins() = default;

void PackageOrigins::add(std::string name, Package package, std::string text) {
  auto& files = files_[{package.kind, package.path}];
  if (!files) files = std::make_shared<const Files>(sources_of(package));
  if (package.kind == Package::Kind::chart) {
    std::vector<std::string>& values = package.variant.values;
    values.insert(values.end(), options_.helm_values.begin(), options_.helm_values.end());
  }
  auto rendered = std::make_unique<Rendered>(std::move(package), std::move(text), files);
  for (const std::string& path : rendered->package.variant.values) {
    const auto is_known = [&](const Files& all) {
      return std::ranges::find(all, path, &PackageSource::path) != all.end();
    };
    if (is_known(*files) || is_known(rendered->values)) continue;
    Result<std::string> bytes = read_file(path, kFileSizeLimit);
    if (bytes) rendered->values.push_back({path, *std::move(bytes)});
  }
  rendered_[std::move(name)] = std::move(rendered);
}

std::vector<PackageSource> PackageOrigins::sources() const {
  std::map<std::string, std::string_view> all;
  for (const auto& [name, rendered] : rendered_) {
    for (const PackageSource& source : *rendered->files) all.emplace(source.path, source.bytes);
    for (const PackageSource& source : rendered->values) all.emplace(source.path, source.bytes);
  }
  std::vector<PackageSource> sources;
  for (const auto& [path, bytes] : all) sources.push_back({path, std::string(bytes)});
  return sources;
}

void PackageOrigins::prepare(std::span<const OriginQuestion> questions) {
  struct Search {
    explicit Search(Rendered& of)
        : rendered(of),
          rerendered(absolute(of.here, of.package)),
          sources(of.sources()),
          search(of.package, sources, of.text, of.runs) {}

    Rendered& rendered;
    Package rerendered;
    std::vector<PackageSource> sources;
    OriginSearch search;
    std::vector<Key> keys{};
    std::size_t runs = 0;  ///< of the next round
  };
  std::map<std::string, std::unique_ptr<Search>> searches;
  for (const OriginQuestion& question : questions) {
    const auto found = rendered_.find(question.file->path());
    if (found == rendered_.end() || found->second->origins.contains(key_of(question))) continue;
    Rendered& rendered = *found->second;
    auto& search = searches[found->first];
    if (!search) {
      search = std::make_unique<Search>(rendered);
    }
    search->search.ask(question.where, question.aspect);
    search->keys.push_back(key_of(question));
  }
  RenderOptions options = options_;
  options.helm_values.clear();  // the packages have them
  const auto end = std::chrono::steady_clock::now() + options_.timeout;
  while (std::chrono::steady_clock::now() < end) {
    std::vector<Package> packages;
    for (const auto& [name, each] : searches) {
      const std::vector<ReplacedTexts> next = each->search.next();
      each->runs = next.size();
      each->rendered.runs -= next.size();
      for (const ReplacedTexts& texts : next) {
        Package& package = packages.emplace_back(each->rerendered);
        for (const auto& [path, text] : texts) {
          package.replaced[absolute(each->rendered.here, path)] = text;
        }
      }
    }
    if (packages.empty()) break;
    std::vector<Rendering> renderings = render_packages(packages, options);
    auto rendering = renderings.begin();
    for (const auto& [name, each] : searches) {
      std::vector<std::optional<std::string>> texts(each->runs);
      for (std::optional<std::string>& text : texts) {
        if (!rendering->failure) text = std::move(rendering->text);
        ++rendering;
      }
      each->search.take(texts);
    }
  }
  for (const auto& [name, each] : searches) {
    for (const Key& key : each->keys) {
      const auto [begin, last, aspect] = key;
      each->rendered.origins[key] = each->search.of({0, begin, last}, aspect);
    }
  }
}

Origin PackageOrigins::of(const OriginQuestion& question) const {
  const auto found = rendered_.find(question.file->path());
  if (found == rendered_.end()) return {};
  const Rendered& rendered = *found->second;
  const auto known = rendered.origins.find(key_of(question));
  Origin origin = known == rendered.origins.end() ? Origin() : known->second;
  if (!origin.file.empty()) return origin;
  const Package& package = rendered.package;
  const std::string& name = question.document->rendered_from;
  if (package.kind == Package::Kind::overlay) {
    origin.file = kustomization_of(package);
  } else if (rendered.files->empty() && name.find('/') != std::string::npos) {
    origin.file = fmt::format("{}:{}", package.path, name.substr(name.find('/') + 1));
  } else {
    origin.file = named_template(package.path, *rendered.files, name);
  }
  return origin;
}

}  // namespace cnsched::packages
