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

namespace cnsched {

namespace fs = std::filesystem;

namespace {

std::string absolute(const std::string& path) {
  std::error_code error;
  std::string result = fs::absolute(path, error).lexically_normal().string();
  if (result.size() > 1 && result.ends_with('/')) result.pop_back();
  return result;
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
  Rendered(Package named, Package absolute, std::string bytes, std::vector<PackageSource> from)
      : package(std::move(named)),
        rerendered(std::move(absolute)),
        text(0, "", std::move(bytes)),
        sources(std::move(from)) {}

  Package package;     ///< as the user names it
  Package rerendered;  ///< the same with absolute paths, wherever the working directory is then
  SourceFile text;
  std::vector<PackageSource> sources;
  std::map<std::string, std::string> absolute_paths{};  ///< of the sources
  std::size_t runs = OriginSearch::kMaxRuns;            ///< that are left
  std::map<Key, Origin> origins{};
};

PackageOrigins::PackageOrigins(RenderOptions options) : options_(std::move(options)) {}
PackageOrigins::~PackageOrigins() = default;

void PackageOrigins::add(std::string name, Package package, std::string text) {
  std::vector<PackageSource> sources = sources_of(package);
  if (package.kind == Package::Kind::chart) {
    std::vector<std::string>& values = package.variant.values;
    values.insert(values.end(), options_.helm_values.begin(), options_.helm_values.end());
    for (const std::string& path : values) {
      if (std::ranges::find(sources, path, &PackageSource::path) != sources.end()) continue;
      Result<std::string> bytes = read_file(path, kFileSizeLimit);
      if (bytes) sources.push_back({path, *std::move(bytes)});
    }
  }
  Package rerendered = package;
  rerendered.path = absolute(package.path);
  for (auto* paths : {&rerendered.files, &rerendered.charts, &rerendered.variant.values}) {
    std::ranges::transform(*paths, paths->begin(), absolute);
  }
  auto& rendered = rendered_[std::move(name)];
  rendered = std::make_unique<Rendered>(std::move(package), std::move(rerendered), std::move(text),
                                        std::move(sources));
  for (const PackageSource& source : rendered->sources) {
    rendered->absolute_paths[source.path] = absolute(source.path);
  }
}

std::vector<PackageSource> PackageOrigins::sources() const {
  std::map<std::string, std::string_view> all;
  for (const auto& [name, rendered] : rendered_) {
    for (const PackageSource& source : rendered->sources) all.emplace(source.path, source.bytes);
  }
  std::vector<PackageSource> sources;
  for (const auto& [path, bytes] : all) sources.push_back({path, std::string(bytes)});
  return sources;
}

void PackageOrigins::prepare(std::span<const OriginQuestion> questions) {
  struct Search {
    explicit Search(Rendered& of)
        : rendered(of), search(of.package, of.sources, of.text, of.runs) {}

    Rendered& rendered;
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
        Package& package = packages.emplace_back(each->rendered.rerendered);
        for (const auto& [path, text] : texts) {
          package.replaced[each->rendered.absolute_paths.at(path)] = text;
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
  } else if (rendered.sources.empty() && name.find('/') != std::string::npos) {
    origin.file = fmt::format("{}:{}", package.path, name.substr(name.find('/') + 1));
  } else {
    origin.file = named_template(package.path, rendered.sources, name);
  }
  return origin;
}

}  // namespace cnsched
