// A Model needs one Server that has all required capabilities. Servers that Seldon's charts install
// count even if no file has them, and a single Server with unknown capabilities may be the one. A
// requirement that no list of capabilities can contain is wrong without any Server.
#include <algorithm>
#include <set>
#include <string>

#include "core/base/suggest.h"
#include "core/seldon/shipped.h"
#include "rules/common/wording.h"
#include "rules/rule.h"
#include "rules/seldon/candidates.h"

namespace cnsched::rules::seldon_unmet_requirement {

using seldon::RequiredTag;
using yaml::Node;
using Tags = std::vector<RequiredTag>;

static constexpr std::size_t kMaxNotes = 10;

static void report_impossible(const RequiredTag& tag, Findings& findings) {
  const bool type = tag.from == RequiredTag::From::model_type;
  if (tag.tag.empty()) {
    findings
        .add(*tag.node, "empty {} matches no Server: the Model stays at ScheduleFailed",
             type ? "modelType" : "requirement")
        .help("remove it");
    return;
  }
  auto finding =
      findings.add(*tag.node,
                   "no Server can have capability '{}', because capabilities are split at "
                   "commas: the Model stays at ScheduleFailed",
                   tag.tag);
  finding.help("{}", type ? "keep one of them, and list the others in 'requirements'"
                          : "write each of them as a separate item");
}

/// Notes the capabilities of a Server at their place.
static void note_capabilities(const ModelServer& server, Findings::Finding& finding) {
  const seldon::Capabilities& available = *server.capacity.capabilities;
  constexpr std::size_t kMaxTags = 20;
  finding.note(*available.written, "Server '{}' has these capabilities{}: {}", server.name(),
               available.shipped ? ", some from Seldon's own ServerConfig" : "",
               first_names(available.tags, kMaxTags));
}

/// The capability that the author probably intends: of a known Server, or of one that Seldon
/// installs.
static std::string intended(std::string_view tag, const Candidates& candidates) {
  constexpr std::size_t kMaxNames = 100;
  std::set<std::string_view> available;
  const auto add = [&](auto tags) {
    for (const std::string_view each : tags) {
      if (available.size() < kMaxNames && !each.empty()) available.insert(each);
    }
  };
  for (const ModelServer* server : candidates.servers) {
    add(std::span(server->capacity.capabilities->tags));
  }
  if (!candidates.pin) {
    for (const std::string_view name : seldon::kShippedServers) {
      add(seldon::shipped_capabilities(name));
    }
  }
  return std::string(nearest(tag, {available.begin(), available.end()}).value_or(""));
}

static std::string_view why_required(const RequiredTag& tag) {
  return tag.from == RequiredTag::From::explainer ? ", which an explainer needs" : "";
}

static const Node& place_of(const RequiredTag& tag) {
  const bool at_key = tag.from == RequiredTag::From::explainer && tag.node->key() != nullptr;
  return at_key ? *tag.node->key() : *tag.node;
}

/// The condition of a finding that assumes a ServerConfig of Seldon's, which no file has.
static std::string unless_listed(const Candidates& candidates, std::string_view what) {
  const auto assumed = std::ranges::find_if(candidates.servers, [](const ModelServer* server) {
    return server->capacity.capabilities->shipped;
  });
  if (assumed == candidates.servers.end()) return {};
  return fmt::format(" unless ServerConfig '{}' of the cluster lists {}",
                     (*assumed)->object->spec()["serverConfig"].text(), what);
}

/// "in namespace 'ml'", or "in its namespace" if that is not set.
static std::string namespace_text(const Candidates& candidates) {
  const std::string_view ns = candidates.model.ns.name;
  return ns.empty() ? "in its namespace" : fmt::format("in namespace '{}'", ns);
}

/// Reports a capability that no candidate has.
static void report_missing(const RequiredTag& tag, const Candidates& candidates,
                           Findings& findings) {
  const std::string subject =
      candidates.pin ? fmt::format("Server '{}', which the Model is pinned to, does not have",
                                   candidates.pin.text())
                     : fmt::format("no known Server {} has", namespace_text(candidates));
  const std::string unless = unless_listed(candidates, "it");
  auto finding =
      findings.add(place_of(tag), "{} capability '{}'{}: the Model stays at ScheduleFailed{}",
                   subject, tag.tag, why_required(tag), unless);
  if (!unless.empty()) finding.severity(Severity::warning);
  const std::string like = intended(tag.tag, candidates);
  std::size_t notes = 0;
  for (const ModelServer* server : candidates.servers) {
    const bool is_relevant = like.empty() || server->capacity.capabilities->contains(like);
    if (is_relevant && notes++ < kMaxNotes) note_capabilities(*server, finding);
  }
  const auto other = std::ranges::find_if(candidates.seen, [&](const ModelServer* s) {
    return s->can_run({&tag, 1});
  });
  if (other != candidates.seen.end()) {
    finding.help("pin the Model to Server '{}', which has it, or remove 'server'",
                 (*other)->name());
  } else if (!like.empty()) {
    finding.help("did you mean '{}'? requirements are case-sensitive", like);
  } else {
    finding.help("add it to the capabilities of a Server, or require an existing capability");
  }
}

/// "both 'nlp' and 'vision'"; of many the first ones.
static std::string all_of(const std::vector<std::string_view>& names) {
  if (names.size() == 2) return fmt::format("both '{}' and '{}'", names.front(), names.back());
  return fmt::format("all of {}", first_names(names));
}

/// Reports that each capability has its Server, but no Server has all of them.
static void report_split(const Tags& tags, const Candidates& candidates, Findings& findings) {
  std::vector<std::string_view> names;
  for (const RequiredTag& tag : tags) names.push_back(tag.tag);
  const std::string unless = unless_listed(candidates, "more");
  const bool listed = tags.front().from == RequiredTag::From::requirements;
  const Node* key = listed ? candidates.spec["requirements"].key() : nullptr;
  auto finding =
      findings.add(key != nullptr ? *key : place_of(tags.front()),
                   "no single known Server {} has {}: the Model stays at ScheduleFailed{}",
                   namespace_text(candidates), all_of(names), unless);
  if (!unless.empty()) finding.severity(Severity::warning);
  std::size_t notes = 0;
  for (const ModelServer* server : candidates.servers) {
    if (notes++ == kMaxNotes) break;
    const auto lacking = std::ranges::find_if(tags, [&](const RequiredTag& tag) {
      return !server->capacity.capabilities->contains(tag.tag);
    });
    finding.note(*server->capacity.capabilities->written, "Server '{}' lacks '{}'", server->name(),
                 lacking->tag);
  }
  finding.help("add all of these capabilities to one Server, or require fewer");
}

/// The requirements that can be compared with capabilities; reports those that no list can contain.
static Tags comparable(const Candidates& candidates, Findings& findings) {
  Tags tags;
  for (const RequiredTag& tag : candidates.tags) {
    if (k8s::is_placeholder(tag.tag)) continue;
    if (seldon::can_be_capability(tag.tag)) {
      tags.push_back(tag);
    } else {
      report_impossible(tag, findings);
    }
  }
  return tags;
}

static void check_model(const Candidates& candidates, Findings& findings) {
  const Tags tags = comparable(candidates, findings);
  if (!candidates.are_known() || candidates.include_shipped(tags)) return;
  const auto can_run = [&](const Tags& some) {
    return std::ranges::any_of(candidates.servers,
                               [&](const ModelServer* server) { return server->can_run(some); });
  };
  if (can_run(tags)) return;
  bool missing = false;
  for (const RequiredTag& tag : tags) {
    if (can_run({tag}) || candidates.include_shipped({&tag, 1})) continue;
    report_missing(tag, candidates, findings);
    missing = true;
  }
  if (!missing) report_split(tags, candidates, findings);
}

static void check(const ClusterScope& scope, Findings& findings) {
  check_models(scope, findings, check_model);
}

extern constinit const Rule rule = {
    .id = "seldon-unmet-requirement",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .check = check,
};

}  // namespace cnsched::rules::seldon_unmet_requirement
