#include "core/snapshot/resources.h"
#include "core/base/text.h"
#include "core/facts/cluster_config.h"
#include "testdata/support.h"

namespace cnsched::snapshot::resources_test {

bool states_nothing(std::string_view /*key*/) { return false; }

/// The sources below the folders, without tests, in one text.
std::string sources_of(std::initializer_list<const char*> folders) {
  std::string all;
  for (const char* folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(project_file(folder))) {
      const std::string path = entry.path().string();
      // A list of kinds, which says nothing about any.
      if (path.ends_with("/unknown_kind.cpp") || path.ends_with("_test.cpp")) continue;
      if (path.ends_with(".cpp")) all += read_all(path);
    }
  }
  return all;
}

/// The first steps of the paths of settings: "router" of "router/image" and of ["data"]["router"].
std::set<std::string> settings_in(std::string_view code) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  constexpr std::string_view kData = "[\"data\"][";
  std::set<std::string> settings;
  for (std::size_t at = code.find('"'); at != std::string_view::npos; at = code.find('"', at + 1)) {
    const std::size_t end = code.find_first_not_of(kLetters, at + 1);
    if (end == std::string_view::npos || end == at + 1) continue;
    const std::size_t close = code.find_first_not_of(kLetters, end + 1);
    const bool is_path = code[end] == '/' && close != std::string_view::npos && close > end + 1 &&
                         (code[close] == '"' || code[close] == '{');
    const bool is_key = code[end] == '"' && code.substr(0, at).ends_with(kData);
    if (is_path || is_key) settings.emplace(code.substr(at + 1, end - at - 1));
  }
  return settings;
}

/// "SchedulingKind::limit_range" for "LimitRange".
std::string enumerator_of(std::string_view kind) {
  const std::string code = project_text("core/k8s/api_kinds.cpp");
  const std::size_t name = code.find(fmt::format("\"{}\"", kind));
  if (name == std::string::npos) return "no kind of the scheduler";
  const std::size_t row = code.rfind('{', name) + 1;
  return "SchedulingKind::" + code.substr(row, code.find(',', row) - row);
}

std::vector<Fetch> fetch_of_kind(std::string_view kind) {
  std::vector<Fetch> all = fetches(states_nothing, "");
  std::erase_if(all, [&](const Fetch& fetch) {
    return fetch.resource == nullptr || fetch.resource->kind != kind;
  });
  return all;
}

TEST_CASE("something reads every kind of a snapshot, except those that are marked") {
  const std::string code = sources_of({"core/kserve", "core/seldon", "core/sim", "core/facts",
                                       "core/workspace", "rules"}) +
                           project_text("core/k8s/api_kinds.cpp");
  for (const Resource& resource : resources()) {
    CAPTURE(resource.kind);
    const bool has_enumerator = has(code, enumerator_of(resource.kind));
    const bool is_named = has_enumerator || has(code, fmt::format("\"{}\"", resource.kind));
    CHECK(is_named == resource.is_read);
    CHECK((resource.group.empty() || !resource.is_read || has_enumerator ||
           has(code, resource.group)));
  }
}

TEST_CASE("no command reads Secrets, and each names its type in full") {
  std::set<std::string> seen;
  for (const Fetch& fetch : fetches(states_nothing, "")) {
    const std::string command = shell_command(fetch, 0, 10'000);
    CAPTURE(command);
    CHECK_FALSE(has(lower(command), "secret"));
    CHECK(command.ends_with(" -o yaml"));
    if (fetch.resource == nullptr) continue;
    CHECK(seen.insert(fetch.resource->full_name()).second);
    CHECK_FALSE(fetch.resource->why.empty());
    CHECK_FALSE(fetch.resource->fields.empty());
    CHECK((has(command, " -A")) == fetch.resource->namespaced);
  }
}

TEST_CASE("keys of the configuration replace what they state") {
  const yaml::Shape& shape = facts::cluster_shape();
  std::set<std::string_view> keys;
  for (const auto& field : shape.fields) keys.insert(field.name);
  CHECK(keys.contains(kVersionKey));
  for (const Resource& resource : resources()) {
    if (!resource.key.empty()) CHECK(keys.contains(resource.key));
  }
  const auto with_plugin = fetches([](auto key) { return key == "devicePlugin"; }, "");
  CHECK(std::ranges::none_of(with_plugin, [](const Fetch& fetch) {
    return fetch.resource != nullptr && fetch.resource->kind == "DaemonSet";
  }));
  CHECK(with_plugin.size() + 2 == fetches(states_nothing, "").size());
}

TEST_CASE("the settings that cnsched reads of a controller's ConfigMap are kept") {
  const std::string code = sources_of({"core/kserve", "core/seldon"});
  std::string kept;
  for (const Resource& resource : resources()) {
    if (resource.kind == "ConfigMap") kept += std::string(resource.fields) + " ";
  }
  const std::set<std::string> read = settings_in(code);
  for (const std::string& key : read) {
    CAPTURE(key);
    CHECK(has(kept, "data." + key + " "));
  }
  CHECK(read.size() > 5);
}

TEST_CASE("commands are words of a shell") {
  CHECK(shell_command(fetch_of_kind("Pod").front(), 0, 1000) ==
        "kubectl get pods -A "
        "'--field-selector=status.phase!=Succeeded,status.phase!=Failed' -o yaml");
  CHECK(shell_command(fetch_of_kind("RuntimeClass").front(), 0, 1000) ==
        "kubectl get runtimeclasses.node.k8s.io -o yaml");
  CHECK(shell_command({nullptr, {"--context=it's me"}}, 2, 1000) ==
        "  kubectl '--context=it'\\''s me'");
  CHECK(shell_command({nullptr, {"get", "aaaaaaaaaa", "b"}}, 0, 20) ==
        "kubectl get \\\n    aaaaaaaaaa b");
  CHECK(fetches(states_nothing, "prod").back().arguments.front() == "--context=prod");
}

}  // namespace cnsched::snapshot::resources_test
