// Missing requirements matter only if two Servers differ in their capabilities or in having
// accelerators.
#include <algorithm>
#include <map>
#include <string>

#include "core/base/text.h"
#include "rules/rule.h"
#include "rules/seldon/candidates.h"

namespace cnsched::rules::seldon_unrestricted_model {

static bool is_unrestricted(const yaml::Node& spec) {
  return spec["requirements"].is_empty() && spec["modelType"].is_empty() &&
         spec["server"].is_empty() && !spec["explainer"].is_mapping();
}

static bool includes_all(const seldon::Capabilities& a, const seldon::Capabilities& b) {
  return std::ranges::all_of(b.tags, [&](std::string_view tag) { return a.contains(tag); });
}

static bool differ(const ModelServer& a, const ModelServer& b) {
  if (a.has_device == !b.has_device && a.has_device != Truth::unknown) return true;
  const auto& [of_a, of_b] = std::pair(&a.capacity.capabilities, &b.capacity.capabilities);
  if (!*of_a || !*of_b) return false;
  return !includes_all(**of_a, **of_b) || !includes_all(**of_b, **of_a);
}

/// A Server of another name that differs from the first one, or null.
static const ModelServer* different_server(const ModelServers::List& seen) {
  if (seen.empty()) return nullptr;
  const ModelServer& first = *seen.front();
  const auto different = std::ranges::find_if(seen, [&](const ModelServer* server) {
    return server->name() != first.name() && differ(first, *server);
  });
  return different == seen.end() ? nullptr : *different;
}

static void note_server(const ModelServer& server, Findings::Finding& finding) {
  finding.note(name_of(server), "the Model may be loaded here{}",
               server.has_device == Truth::yes ? ", on a Server with accelerators" : "");
}

static void report_model(const k8s::Object& model, const ModelServer& one, const ModelServer& other,
                         Findings& findings) {
  auto finding = findings.add(model.spec()["requirements"],
                              "Model '{}' has no requirements: Seldon may load it on any Server of "
                              "its namespace, such as '{}' or '{}'",
                              model.name, one.name(), other.name());
  note_server(one, finding);
  note_server(other, finding);
  finding.help("list the required capabilities in 'requirements', such as 'sklearn'");
}

static void check(const ClusterScope& scope, Findings& findings) {
  const ModelServers servers(scope);
  using Pair = std::pair<const ModelServer*, const ModelServer*>;
  std::map<std::string_view, Pair> different_servers;  // by namespace
  for (const k8s::Object* model : linted_models(scope)) {
    if (!is_unrestricted(model->spec())) continue;
    findings.set_subject(model);
    const auto [entry, added] = different_servers.try_emplace(model->ns.name);
    if (added) {
      const ModelServers::List seen = servers.visible_to(model->ns);
      if (const ModelServer* different = different_server(seen))
        entry->second = {seen.front(), different};
    }
    const auto& [one, other] = entry->second;
    if (other != nullptr) report_model(*model, *one, *other, findings);
  }
}

extern constinit const Rule rule = {
    .id = "seldon-unrestricted-model",
    .severity = Severity::info,
    .check = check,
};

}  // namespace cnsched::rules::seldon_unrestricted_model
