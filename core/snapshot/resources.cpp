#include "core/snapshot/resources.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/embedded_file.h"
#include "core/base/text.h"
#include "core/k8s/api_kinds.h"
#include "core/yaml/parse.h"

namespace cnsched::embedded {
std::span<const EmbeddedFile> snapshot_resources();
}

namespace cnsched::snapshot {

/// The rows of resources.yaml.
std::span<const Resource> resources() {
  static const yaml::Embedded kText(embedded::snapshot_resources().front().text);
  static const std::vector<Resource> kResources = [] {
    std::vector<Resource> rows;
    for (const yaml::Node* row : kText.root().items()) {
      const auto text = [&](std::string_view key) { return row->under(key).text(); };
      rows.push_back({.group = text("group"),
                      .kind = text("kind"),
                      .plural = text("plural"),
                      .why = text("why"),
                      .fields = text("fields"),
                      .namespaced = text("namespaced") == "true",
                      .selection = text("selection"),
                      .name = text("name"),
                      .key = text("key")});
    }
    return rows;
  }();
  return kResources;
}

namespace {

constexpr std::string_view kDefinitions = "CustomResourceDefinition";

/// The names of the CRDs of the kinds that cnsched knows: "inferenceservices.serving.kserve.io".
std::vector<std::string> definition_names() {
  std::vector<std::string> names;
  for (const k8s::ApiKind& kind : k8s::api_kinds()) {
    names.push_back(fmt::format("{}s.{}", lower(kind.kind), kind.group()));
  }
  std::ranges::sort(names);
  const auto [first, last] = std::ranges::unique(names);
  names.erase(first, last);
  return names;
}

Fetch fetch_of(const Resource& resource) {
  Fetch fetch{&resource, {"get", std::string(resource.plural)}};
  std::vector<std::string>& arguments = fetch.arguments;
  if (!resource.group.empty()) arguments.back() += fmt::format(".{}", resource.group);
  if (resource.kind == kDefinitions) {
    // Only these: all definitions of a cluster may be many megabytes.
    for (std::string& name : definition_names()) arguments.push_back(std::move(name));
    arguments.emplace_back("--ignore-not-found");
  }
  if (resource.namespaced) arguments.emplace_back("-A");
  for (const std::string_view word : split(resource.selection, ' ')) {
    if (!word.empty()) arguments.emplace_back(word);
  }
  // kubectl takes no name together with -A.
  if (!resource.name.empty()) {
    arguments.push_back(fmt::format("--field-selector=metadata.name={}", resource.name));
  }
  arguments.insert(arguments.end(), {"-o", "yaml"});
  return fetch;
}

std::string quoted_for_shell(const std::string& word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=,@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string Resource::full_name() const {
  std::string text(plural);
  if (!group.empty()) text += fmt::format(".{}", group);
  if (!name.empty()) text += fmt::format("/{}", name);
  return text;
}

bool Resource::matches(const k8s::Object& object) const {
  return object.is(group, kind) && (name.empty() || object.name == name);
}

std::string Fetch::what() const {
  return resource == nullptr ? "the version of the API server" : resource->full_name();
}

std::vector<Fetch> fetches(const std::function<bool(std::string_view)>& is_stated,
                           const std::string& context) {
  std::vector<Fetch> all;
  if (!is_stated(kVersionKey)) all.push_back({nullptr, {"version", "-o", "yaml"}});
  for (const Resource& resource : resources()) {
    if (resource.key.empty() || !is_stated(resource.key)) all.push_back(fetch_of(resource));
  }
  if (context.empty()) return all;
  for (Fetch& fetch : all) {
    fetch.arguments.insert(fetch.arguments.begin(), fmt::format("--context={}", context));
  }
  return all;
}

std::string shell_command(const Fetch& fetch, std::size_t indent, std::size_t width) {
  constexpr std::string_view kContinuation = " \\\n";
  const std::string margin(indent + 4, ' ');
  std::string text = std::string(indent, ' ') + "kubectl";
  std::size_t column = text.size();
  for (const std::string& argument : fetch.arguments) {
    const std::string word = quoted_for_shell(argument);
    if (column + 1 + word.size() + kContinuation.size() > width) {
      text += kContinuation;
      text += margin;
      column = margin.size();
    } else {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text;
}

std::string shell_script(std::span<const Fetch> fetches, std::string_view file) {
  constexpr std::size_t kWidth = 100;
  std::string text = "{\n";
  for (const Fetch& fetch : fetches) {
    text += shell_command(fetch, 2, kWidth - std::string_view("; echo ---").size());
    text += "; echo ---\n";
  }
  return text + fmt::format("}} > {}\n", quoted_for_shell(std::string(file)));
}

}  // namespace cnsched::snapshot
