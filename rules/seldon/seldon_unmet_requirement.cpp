// A Model needs one Server that is capable of all that it requires. Servers that Seldon's charts
// bring along count even if the run does not hold them, and a single Server whose capabilities are
// not known could be the one. What no list of capabilities can hold is wrong without any Server.
#include <algorithm>
#include <set>
#include <string>

#include "core/base/suggest.h"
#include "core/seldon/shipped.h"
#include "rules/rule.h"
#include "rules/seldon/candidates.h"
#include "rules/seldon/first_names.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule seldon_seldon_unmet_requirement = {
    .id = "seldon-unmet-requirement",
    .severity = Severity::error,
    .depends_on_run = true,
    .summary = "a Model whose requirements no Server meets",
    .why =
        "The Model stays at ScheduleFailed, 'Failed to schedule model as no matching servers are "
        "available'. Seldon's scheduler loads it only on a Server of its namespace that has every "
        "one of its requirements among its capabilities, in exactly the same letters; modelType "
        "is one more, and an explainer needs alibi-explain. Several Servers do not add up, and a "
        "Server that the Model is pinned to needs them as well.\n\n"
        "Capabilities are split at commas by the agent, a container beside the model server, so a "
        "requirement with a comma never matches, nor does an empty one; these are reported in any "
        "case. Others are reported only if the linted files and those given by --cluster hold a "
        "Server of the namespace, and the capabilities of all of them are known.\n\n"
        "It is a warning if one of those is the list of Seldon's own ServerConfig mlserver or "
        "triton, which no file shows: the cluster's may have been extended.",
    .bad = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: mlserver}
spec:
  serverConfig: mlserver
  capabilities: [sklearn, xgboost]
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Model
metadata: {name: iris}
spec:
  storageUri: gs://seldon-models/mlserver/iris
  requirements: [SKLearn]
)",
    .good = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: mlserver}
spec:
  serverConfig: mlserver
  capabilities: [sklearn, xgboost]
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Model
metadata: {name: iris}
spec:
  storageUri: gs://seldon-models/mlserver/iris
  requirements: [sklearn]
)",
    .source =
        "https://github.com/SeldonIO/seldon-core/blob/v2/scheduler/pkg/scheduler/filters/"
        "serverrequirements.go",
    .check = check,
};

using seldon::RequiredTag;
using yaml::Node;
using Tags = std::vector<RequiredTag>;

static constexpr std::size_t kMostNotes = 10;

static void report_impossible(const RequiredTag& tag, Report& report) {
  const bool type = tag.from == RequiredTag::From::model_type;
  if (tag.tag.empty()) {
    report
        .add(*tag.node,
             "an empty {} counts too, and no Server offers it: the Model stays at ScheduleFailed",
             type ? "modelType" : "requirement")
        .help("remove it");
    return;
  }
  auto finding =
      report.add(*tag.node,
                 "no Server can offer '{}', because capabilities are split at commas: the "
                 "Model stays at ScheduleFailed",
                 tag.tag);
  finding.help("{}", type ? "keep one of them, and list the others under 'requirements'"
                          : "make each of them an item of its own");
}

/// Where the capabilities of a Server come from, and which they are.
static void note_capabilities(const ModelServer& server, Report::Finding& finding) {
  const seldon::Capabilities& offered = *server.offer.capabilities;
  constexpr std::size_t kMostTags = 20;
  finding.note(*offered.written, "Server '{}' offers {}{}", server.name(),
               offered.shipped ? "what Seldon's own ServerConfig does: " : "",
               first_names(offered.tags, kMostTags));
}

/// The capability that was probably meant: of the Servers at hand, or of those that Seldon brings.
static std::string meant(std::string_view tag, const Candidates& candidates) {
  constexpr std::size_t kMost = 100;  // no manifests for people have more
  std::set<std::string_view> offered;
  const auto add = [&](auto tags) {
    for (const std::string_view each : tags) {
      if (offered.size() < kMost && !each.empty()) offered.insert(each);
    }
  };
  for (const ModelServer* server : candidates.servers) {
    add(std::span(server->offer.capabilities->tags));
  }
  if (!candidates.pin) {
    for (const std::string_view name : seldon::kShippedServers) {
      add(seldon::shipped_capabilities(name));
    }
  }
  return std::string(nearest(tag, {offered.begin(), offered.end()}).value_or(""));
}

static std::string_view why_required(const RequiredTag& tag) {
  return tag.from == RequiredTag::From::explainer ? ", which an explainer needs" : "";
}

static const Node& place_of(const RequiredTag& tag) {
  const bool at_key = tag.from == RequiredTag::From::explainer && tag.node->key() != nullptr;
  return at_key ? *tag.node->key() : *tag.node;
}

/// Says of a finding what it rests on where no manifest shows the ServerConfig of a Server.
static std::string unless_listed(const Candidates& candidates, std::string_view what) {
  const auto assumed = std::ranges::find_if(candidates.servers, [](const ModelServer* server) {
    return server->offer.capabilities->shipped;
  });
  if (assumed == candidates.servers.end()) return {};
  return fmt::format(", unless the cluster's ServerConfig '{}' lists {}",
                     (*assumed)->object->spec()["serverConfig"].text(), what);
}

/// No candidate is capable of it.
static void report_missing(const RequiredTag& tag, const Candidates& candidates, Report& report) {
  const std::string whose =
      candidates.pin ? fmt::format("Server '{}', which the Model is pinned to, does not offer",
                                   candidates.pin.text())
                     : std::string("no Server of its namespace offers");
  const std::string unless = unless_listed(candidates, "it");
  auto finding = report.add(place_of(tag), "{} '{}'{}{}: the Model stays at ScheduleFailed", whose,
                            tag.tag, why_required(tag), unless);
  if (!unless.empty()) finding.severity(Severity::warning);
  const std::string like = meant(tag.tag, candidates);
  std::size_t notes = 0;
  for (const ModelServer* server : candidates.servers) {
    const bool tells = like.empty() || server->offer.capabilities->hold(like);
    if (tells && notes++ < kMostNotes) note_capabilities(*server, finding);
  }
  const auto other = std::ranges::find_if(candidates.seen, [&](const ModelServer* s) {
    return s->can_run({&tag, 1});
  });
  if (other != candidates.seen.end()) {
    finding.help("Server '{}' offers it: pin the Model to that one, or to none", (*other)->name());
  } else if (!like.empty()) {
    finding.help("did you mean '{}'? Requirements have to match exactly", like);
  } else {
    finding.help("add it to the capabilities of a Server, or require an existing one");
  }
}

/// "both 'nlp' and 'vision'"; of many the first.
static std::string all_of(const std::vector<std::string_view>& names) {
  if (names.size() == 2) return fmt::format("both '{}' and '{}'", names.front(), names.back());
  return fmt::format("all of {}", first_names(names));
}

/// Each tag has its Server, but none has them all.
static void report_split(const Tags& tags, const Candidates& candidates, Report& report) {
  std::vector<std::string_view> names;
  for (const RequiredTag& tag : tags) names.push_back(tag.tag);
  const std::string unless = unless_listed(candidates, "more");
  const bool listed = tags.front().from == RequiredTag::From::requirements;
  const Node* key = listed ? candidates.spec["requirements"].key() : nullptr;
  auto finding =
      report.add(key != nullptr ? *key : place_of(tags.front()),
                 "no single Server of its namespace offers {}{}: the Model stays at ScheduleFailed",
                 all_of(names), unless);
  if (!unless.empty()) finding.severity(Severity::warning);
  std::size_t notes = 0;
  for (const ModelServer* server : candidates.servers) {
    if (notes++ == kMostNotes) break;
    const auto lacking = std::ranges::find_if(
        tags, [&](const RequiredTag& tag) { return !server->offer.capabilities->hold(tag.tag); });
    finding.note(*server->offer.capabilities->written, "Server '{}' lacks '{}'", server->name(),
                 lacking->tag);
  }
  finding.help("give one Server all of these capabilities, or require fewer");
}

/// What is left to compare with capabilities; reports what cannot be among them.
static Tags comparable(const Candidates& candidates, Report& report) {
  Tags tags;
  for (const RequiredTag& tag : candidates.tags) {
    if (k8s::is_placeholder(tag.tag)) continue;
    if (seldon::can_be_offered(tag.tag)) {
      tags.push_back(tag);
    } else {
      report_impossible(tag, report);
    }
  }
  return tags;
}

static void check_model(const Candidates& candidates, Report& report) {
  const Tags tags = comparable(candidates, report);
  if (!candidates.are_known() || candidates.include_shipped(tags)) return;
  const auto can_run = [&](const Tags& some) {
    return std::ranges::any_of(candidates.servers,
                               [&](const ModelServer* server) { return server->can_run(some); });
  };
  if (can_run(tags)) return;
  bool missing = false;
  for (const RequiredTag& tag : tags) {
    if (can_run({tag}) || candidates.include_shipped({&tag, 1})) continue;
    report_missing(tag, candidates, report);
    missing = true;
  }
  if (!missing) report_split(tags, candidates, report);
}

static void check(const Workspace& run, Report& report) { check_models(run, report, check_model); }

}  // namespace cnsched::rules
