#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/yaml/document.h"

namespace cnsched::packages {

/// A file that an engine reads to render a package: a template, a values file, a base, a patch.
struct PackageSource {
  std::string path;  ///< below the package's path, as a user would name it
  std::string bytes;
};

/// Bytes of a source of a package.
struct SourcePlace {
  std::string path;  ///< of the source
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend auto operator<=>(const SourcePlace&, const SourcePlace&) = default;
};

/// Another source that takes part in a rendered value.
struct OriginNote {
  SourcePlace place;
  std::string message;  ///< "this line of the template prints it"
};

/// Where a rendered key or value comes from. Only what is certain: a wrong place is worse than
/// none.
struct Origin {
  std::string file{};   ///< the source that it was rendered from; empty if it is not known
  SourcePlace place{};  ///< what to change; without a path if only the file is known
  /// The bytes at `place` are those that were rendered, so a fix may replace them.
  bool is_literal = false;
  std::vector<OriginNote> notes{};
};

/// What a finding is about.
enum class Aspect : std::uint8_t { value, type };

/// A question for the origin of the key or the value at `where` in a document of a rendered file.
struct OriginQuestion {
  const SourceFile* file = nullptr;
  const yaml::Document* document = nullptr;
  Span where;
  /// What is wrong with it: a template that lacks `quote` makes a string an integer.
  Aspect aspect = Aspect::value;
};

/// Finds the origins of what is in rendered files.
class OriginFinder {
 public:
  OriginFinder() = default;
  OriginFinder(const OriginFinder&) = delete;
  OriginFinder& operator=(const OriginFinder&) = delete;
  virtual ~OriginFinder() = default;

  /// Does what takes long for all of these questions at once.
  virtual void prepare(std::span<const OriginQuestion> questions) = 0;
  /// The answer to a question that was prepared; of another one only the file.
  virtual Origin of(const OriginQuestion& question) const = 0;
};

}  // namespace cnsched::packages
