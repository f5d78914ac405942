#include <fmt/format.h>

#include "cli/output/config_page.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

/// "0.13 (.cnsched.yaml:3)", or "newest (0.20)".
std::string stated_in_words(Project project, const EffectiveConfig& effective) {
  std::vector<std::string> words;
  for (const StatedRelease& release : effective.releases.of(project)) {
    words.push_back(fmt::format("{} ({})", to_string(release.version),
                                describe_source(release, effective.sources)));
  }
  if (words.empty()) return fmt::format("newest ({})", k8s::schema::newest(project));
  return join_words(words);
}

}  // namespace

std::string described_releases(const EffectiveConfig& effective) {
  std::string text = "# fields are judged by these releases:\n";
  for (const Project project : k8s::schema::kProjects) {
    text += fmt::format("#   {}: {}\n", key_of(project), stated_in_words(project, effective));
  }
  if (effective.definitions.empty()) return text;
  text += "# and by these CustomResourceDefinitions:\n";
  for (const auto* each : effective.definitions) {
    text += fmt::format("#   {} {}: {}\n", printable(each->api_version), printable(each->kind),
                        describe_line(each->place->span, effective.sources));
  }
  return text;
}

void add_releases(const EffectiveConfig& effective, Json& json) {
  json["releases"] = Json::array();
  for (const Project project : k8s::schema::kProjects) {
    for (const StatedRelease& release : effective.releases.of(project)) {
      json["releases"].push_back({{"project", key_of(project)},
                                  {"release", to_string(release.version)},
                                  {"source", describe_source(release, effective.sources)}});
    }
  }
  json["definitions"] = Json::array();
  for (const auto* each : effective.definitions) {
    json["definitions"].push_back(
        {{"apiVersion", each->api_version},
         {"kind", each->kind},
         {"source", describe_line(each->place->span, effective.sources)}});
  }
}

}  // namespace cnsched::cli
