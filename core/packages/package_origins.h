#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/packages/engine.h"
#include "core/packages/origin.h"

namespace cnsched {

/// Finds the origins of what engines rendered. The engine of a package runs again for it, only if
/// something was found in what it rendered.
class PackageOrigins : public OriginFinder {
 public:
  explicit PackageOrigins(RenderOptions options);
  ~PackageOrigins() override;

  /// Adds what a package was rendered to, by the name of the rendered file.
  void add(std::string name, Package package, std::string text);
  /// The sources of all packages, each once, with the values files of the options.
  std::vector<PackageSource> sources() const;

  void prepare(const std::set<std::string>& files) override;
  Origin of(const SourceFile& file, const yaml::Document& document, Span where,
            Aspect aspect) const override;

 private:
  struct Sources;
  struct Rendered;

  RenderOptions options_;
  std::map<std::string, std::shared_ptr<Sources>> sources_;  ///< by the path of the package
  std::map<std::string, std::unique_ptr<Rendered>> rendered_;
};

}  // namespace cnsched
