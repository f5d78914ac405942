#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/packages/engine.h"
#include "core/packages/origin.h"

namespace cnsched::packages {

/// Finds the origins of what engines rendered (OriginSearch). The engine of a package runs again
/// for it, only if something was found in what it rendered.
class PackageOrigins : public OriginFinder {
 public:
  explicit PackageOrigins(RenderOptions options);
  ~PackageOrigins() override;

  /// Adds what a package was rendered to, by the name of the rendered file. The paths of the
  /// package may be relative to the working directory, which may be another one later.
  void add(std::string name, Package package, std::string text);
  /// The sources of all packages, each once, with the values files of the options.
  std::vector<PackageSource> sources() const;

  void prepare(std::span<const OriginQuestion> questions) override;
  Origin of(const OriginQuestion& question) const override;

 private:
  using Files = std::vector<PackageSource>;
  struct Rendered;

  RenderOptions options_;
  std::map<std::pair<Package::Kind, std::string>, std::shared_ptr<const Files>> files_;
  std::map<std::string, std::unique_ptr<Rendered>> rendered_;
};

}  // namespace cnsched::packages
