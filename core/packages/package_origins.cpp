#include "core/packages/package_origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/text.h"
#include "core/packages/chart.h"
#include "core/packages/kustomization.h"
#include "core/packages/origin_search.h"
#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/source/save.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

std::string absolute(const std::string& path) {
  std::error_code error;
  std::string result = fs::absolute(path, error).lexically_normal().string();
  if (result.size() > 1 && result.ends_with('/')) result.pop_back();
  return result;
}

std::string text_of(const std::string& path, const ReplacedTexts& replaced) {
  if (const auto text = replaced.find(path); text != replaced.end()) return text->second;
  Result<std::string> bytes = read_file(path, kFileSizeLimit);
  return bytes ? *std::move(bytes) : std::string();
}

void write(const std::string& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(directory_of(path), error);
  std::ofstream(path, std::ios::binary) << text;
}

/// Links everything in `from` but the files of `texts`, which are written with these texts.
void copy_with(const std::string& from, const std::string& to, const ReplacedTexts& texts) {
  std::error_code error;
  fs::create_directories(to, error);
  for (const fs::directory_entry& entry : fs::directory_iterator(from, error)) {
    const std::string name = entry.path().filename().string();
    const std::string path = joined(from, name);
    const auto below = texts.lower_bound(path + "/");
    if (texts.contains(path)) {
      write(joined(to, name), texts.at(path));
    } else if (below != texts.end() && below->first.starts_with(path + "/")) {
      copy_with(path, joined(to, name), texts);
    } else {
      fs::create_symlink(resolved_path(path), joined(to, name), error);
    }
  }
}

/// The package in a directory of its own, with the texts that replace those of its sources.
Package copy_of(Package package, const std::string& directory) {
  for (std::string& values : package.variant.values) {
    write(directory + values, text_of(values, package.replaced));
    values.insert(0, directory);
  }
  for (const std::string& path : package.files) {
    write(directory + path, text_of(path, package.replaced));
  }
  if (package.kind == Package::Kind::chart) {
    // The name of the directory becomes that of the release.
    const std::string copy =
        joined(directory + "/chart", file_name_of(resolved_path(package.path)));
    copy_with(package.path, copy, package.replaced);
    package.path = copy;
  } else {
    package.path.insert(0, directory);
  }
  return package;
}

std::vector<Rendering> render_replaced(std::span<const Package> packages,
                                       const RenderOptions& options) {
  const ScratchDirectory scratch;
  if (scratch.path().empty()) return {};
  std::vector<Package> copies;
  for (const Package& package : packages) {
    copies.push_back(copy_of(package, joined(scratch.path(), std::to_string(copies.size()))));
  }
  return render_packages(copies, options);
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
  for (auto* paths : {&rerendered.files, &rerendered.variant.values}) {
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
    std::vector<Rendering> renderings = render_replaced(packages, options);
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
