#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/build_info.h"
#include "cli/commands/commands.h"
#include "cli/output/json.h"
#include "core/k8s/schema/releases.h"

namespace cnsched::cli {

namespace {

struct VersionOptions {
  bool json = false;
};

Json text_or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

Json build_as_json() {
  Json dependencies = Json::array();
  for (const Dependency& each : kBuildInfo.dependencies) {
    dependencies.push_back({{"name", each.name}, {"version", text_or_null(each.version)}});
  }
  Json releases = Json::array();
  for (const k8s::schema::Release& each : k8s::schema::kReleases) {
    releases.push_back({{"project", each.project}, {"release", each.release}});
  }
  return {{"schemaVersion", 1},
          {"version", kBuildInfo.version},
          {"date", kBuildInfo.date},
          {"commit", text_or_null(kBuildInfo.commit)},
          {"repository", text_or_null(kBuildInfo.repository)},
          {"site", text_or_null(kBuildInfo.site)},
          {"dependencies", std::move(dependencies)},
          {"releases", std::move(releases)},
          {"acceleratorsRead", k8s::schema::kAcceleratorsRead}};
}

Exit show_version(const VersionOptions& options, Console& console) {
  if (options.json) {
    write_document(build_as_json(), console.out);
  } else {
    console.out << fmt::format("cnsched {}\n", kBuildInfo.version);
  }
  return Exit::clean;
}

}  // namespace

void declare_version(Command& command) {
  auto& options = command.runs(show_version);
  command.group(kOptions).flag(
      "--json", options.json,
      "also print the commit, the libraries, and the releases that cnsched describes, as JSON");
}

}  // namespace cnsched::cli
