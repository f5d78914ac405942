#pragma once

#include <array>
#include <string_view>

namespace cnsched::k8s::schema {

/// The release of a project that the tables and the code describe.
struct Release {
  std::string_view project;
  std::string_view release;
};

/// docs/facts/ cites the release of each statement.
inline constexpr std::array kReleases = {
    Release{"Kubernetes", "1.36"},      Release{"KServe", "0.20"},
    Release{"Knative Serving", "1.23"}, Release{"Seldon Core 2", "2.10"},
    Release{"Seldon Core 1", "1.19"},
};

/// The month in which device plugins, labels, cards and machine types were last read from their
/// sources (docs/facts/accelerators.md).
inline constexpr std::string_view kAcceleratorsRead = "2026-11";

}  // namespace cnsched::k8s::schema
