#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/version.h"

namespace cnsched::k8s::schema {

/// A project whose releases the tables distinguish.
enum class Project : std::uint8_t {
  kubernetes,
  kserve,
  seldon,           ///< Seldon Core 2 (mlops.seldon.io)
  without_release,  ///< all others: Seldon Core 1, Knative
};

inline constexpr std::array kProjects = {Project::kubernetes, Project::kserve, Project::seldon};

/// The releases of a project that the tables and the code describe.
struct Release {
  std::string_view project;
  std::string_view release;   ///< the newest
  std::string_view oldest{};  ///< the oldest of which the tables know the fields; may be empty
  bool has_head = false;      ///< whether the tables also know its development branch
};

/// docs/facts/ cites the release of each statement.
inline constexpr std::array kReleases = {
    Release{"Kubernetes", "1.36", "1.24"}, Release{"KServe", "0.20", "0.8", true},
    Release{"Knative Serving", "1.23"},    Release{"Seldon Core 2", "2.10", "2.0"},
    Release{"Seldon Core 1", "1.19"},
};

/// The month in which device plugins, labels, cards and machine types were last read from their
/// sources (docs/facts/accelerators.md).
inline constexpr std::string_view kAcceleratorsRead = "2026-11";

/// The project of a group: that of KServe's kinds, of Seldon Core 2's, of Kubernetes' own.
Project project_of(std::string_view group);

/// "KServe", "Seldon Core", "Kubernetes"; empty for `without_release`.
std::string_view name_of(Project project);
/// The project's name in tables and in `cluster:`, and that of its flag: "kserve". Not of
/// `without_release`.
std::string_view key_of(Project project);
/// "KServe 0.14".
std::string describe(Project project, const Version& version);

/// The release that the text names, such as "0.15", or "head"; nothing if it names none.
std::optional<Version> release_named(std::string_view text);
/// Whether the tables know the fields of that release. Patch releases do not change fields.
bool knows(Project project, const Version& version);
/// The newest release; 0.0 for `without_release`.
Version newest(Project project);
/// "KServe 0.8 to 0.20".
std::string describe_known(Project project);

/// The releases by which objects are judged; nothing: the newest.
struct Releases {
  std::optional<Version> kubernetes{};
  std::optional<Version> kserve{};
  std::optional<Version> seldon{};

  /// That of the project; the newest if none is set.
  const std::optional<Version>& of(Project project) const;
  /// To be set; not of `without_release`.
  std::optional<Version>& of(Project project);
  friend auto operator<=>(const Releases&, const Releases&) = default;
};

/// Releases of one project, as a row of the tables lists them: "0.11-0.13,0.15-", "head".
class ReleaseRanges {
 public:
  /// All releases.
  ReleaseRanges() = default;
  static ReleaseRanges none();
  /// Those of the list; nothing if it is not valid.
  static std::optional<ReleaseRanges> parse(std::string_view list);

  bool is_none() const { return ranges_.empty(); }
  bool contains(const Version& version) const;
  void add(const ReleaseRanges& other);

  /// The first release of the oldest range, if releases before it lack the field.
  std::optional<Version> first() const;
  /// The first release of the project that has the field, after one that has it not: where to
  /// upgrade to; nothing if there is none yet.
  std::optional<Version> next(const std::optional<Version>& version) const;
  /// The releases in a sentence about something: "exists from KServe 0.14 on", "existed until
  /// KServe 0.12", "exists only in KServe 0.14", "is in no release of KServe yet".
  std::string words(Project project) const;

 private:
  struct Range {
    std::optional<Version> from{};
    std::optional<Version> to{};
  };
  std::vector<Range> ranges_{Range{}};  ///< in any order
};

}  // namespace cnsched::k8s::schema
