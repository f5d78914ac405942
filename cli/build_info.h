#pragma once

#include <span>
#include <string_view>

namespace cnsched::cli {

/// A library that the program was built with.
struct Dependency {
  std::string_view name;
  std::string_view version;  ///< of its package or archive; empty if unknown
};

/// What CMake states about this build (cli/build_info.cpp.in).
struct BuildInfo {
  std::string_view version;  ///< "0.1.0"
  std::string_view date;     ///< day of the release, "2026-11-22"
  std::string_view commit;   ///< 40 hexadecimal digits; empty if unknown
  // From tools/coordinates, without a slash at the end; empty before the first release.
  std::string_view repository;
  std::string_view site;
  std::span<const Dependency> dependencies;
};

extern const BuildInfo kBuildInfo;

}  // namespace cnsched::cli
