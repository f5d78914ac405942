#include <algorithm>
#include <array>
#include <set>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/object.h"
#include "core/seldon/shipped.h"
#include "rules/rule.h"

namespace cnsched::rules::seldon_unknown_server_config {

static constexpr std::string_view kSeldonGroup = "mlops.seldon.io";

namespace {

/// A kind whose pods are built on a config, and the kind of the config.
struct ConfigReference {
  std::string_view kind;
  std::string_view field;
  std::string_view config;
  std::span<const std::string_view> shipped;
  std::string_view outcome;
};

}  // namespace

static constexpr auto kReferences = std::to_array<ConfigReference>(
    {{"Server", "serverConfig", "ServerConfig", seldon::kShippedServers,
      "the operator creates no pods ('failed to get ServerConfig')"},
     {"SeldonRuntime", "seldonConfig", "SeldonConfig", seldon::kShippedSeldonConfigs,
      "the operator creates none of its pods"}});

/// The name in lower case without separators: "mlserver" for "ML-Server".
static std::string letters_of(std::string_view name) {
  std::string letters = lower(name);
  std::erase_if(letters, [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; });
  return letters;
}

/// Names of the configs in any namespace: the operator's namespace is not known.
using Names = std::set<std::string_view>;

static Names names_of(const ClusterScope& scope, std::string_view kind) {
  Names names;
  for (const k8s::Object& object : scope.objects()) {
    if (object.is(kSeldonGroup, kind)) names.insert(object.name);
  }
  return names;
}

static std::vector<std::string_view> known_names(const ConfigReference& reference,
                                                 const Names& existing) {
  constexpr std::size_t kMaxNames = 100;
  std::vector<std::string_view> known(reference.shipped.begin(), reference.shipped.end());
  for (const std::string_view name : existing) {
    if (known.size() < kMaxNames) known.push_back(name);
  }
  return known;
}

static void add_fix(const yaml::Node& named, std::string_view like, Findings& findings,
                    Findings::Finding& finding) {
  finding.fix(Safety::unsafe, fmt::format("write '{}'", like),
              {yaml::to_set(named, findings.make_string(like))});
}

/// Adds the config that the author may intend as help, and as a fix if that is certain; false if
/// there is none.
static bool add_intended(const yaml::Node& named, const std::vector<std::string_view>& known,
                         std::string_view alternative, Findings& findings,
                         Findings::Finding& finding) {
  const auto like = nearest(named.text(), known);
  if (!like) return false;
  finding.help("did you mean '{}'?{}", *like, alternative);
  if (certain_correction(named.text(), known)) add_fix(named, *like, findings, finding);
  return true;
}

/// Additional help for a name that the cluster may have.
static std::string or_pass_config(std::string_view name) {
  return fmt::format(" if the cluster has '{}', pass it with --cluster", name);
}

static void report_unknown(const ConfigReference& reference, const yaml::Node& named,
                           const Names& existing, Findings& findings) {
  auto finding = findings.add(named, "unknown {} '{}', which neither the files nor Seldon have: {}",
                              reference.config, named.text(), reference.outcome);
  if (add_intended(named, known_names(reference, existing), or_pass_config(named.text()), findings,
                   finding))
    return;
  finding.help("name an existing one, or add it; if the cluster has it, pass it with --cluster");
}

/// Reports a name that no object can have.
static void report_impossible(const ConfigReference& reference, const yaml::Node& named,
                              const Names& existing, Findings& findings) {
  auto finding = findings.add(named, "invalid {} name '{}': {}", reference.config, named.text(),
                              reference.outcome);
  if (add_intended(named, known_names(reference, existing), "", findings, finding)) return;
  if (named.text().find('/') != std::string_view::npos) {
    finding.help("write only the name: the operator reads its own namespace");
  } else {
    finding.help("names must consist of lower case alphanumeric characters, '-' or '.'");
  }
}

/// If no file has a config, only similar names of Seldon's own configs are reported.
static void check_spelling(const ConfigReference& reference, const yaml::Node& named,
                           Findings& findings) {
  const auto like = std::ranges::find(reference.shipped, letters_of(named.text()), letters_of);
  if (like == reference.shipped.end()) return;
  auto finding = findings.add(named, "Seldon ships {} '{}', not '{}': without one of your own {}",
                              reference.config, *like, named.text(), reference.outcome);
  finding.severity(Severity::warning)
      .help("did you mean '{}'?{}", *like, or_pass_config(named.text()));
  add_fix(named, *like, findings, finding);
}

static void check_object(const k8s::Object& object, const ConfigReference& reference,
                         const Names& existing, Findings& findings) {
  const yaml::Node& named = object.spec().under(reference.field);
  if (!named.is_scalar() || k8s::is_placeholder(named.text())) return;
  if (named.text().empty()) {
    findings.add(named, "empty {} name: {}", reference.config, reference.outcome)
        .help("write '{}', or the name of your own one", reference.shipped.front());
    return;
  }
  const bool shipped = is_one_of(named.text(), reference.shipped);
  if (shipped || existing.contains(named.text())) return;
  if (!k8s::is_object_name(named.text())) {
    report_impossible(reference, named, existing, findings);
  } else if (!existing.empty()) {
    report_unknown(reference, named, existing, findings);
  } else {
    check_spelling(reference, named, findings);
  }
}

static void check(const ClusterScope& scope, Findings& findings) {
  for (const ConfigReference& reference : kReferences) {
    const Names existing = names_of(scope, reference.config);
    for (const k8s::Object& object : scope.objects()) {
      if (!object.is(kSeldonGroup, reference.kind) || !scope.is_linted(object)) continue;
      findings.set_subject(&object);
      check_object(object, reference, existing, findings);
    }
  }
}

extern constinit const Rule rule = {
    .id = "seldon-unknown-server-config",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::seldon_unknown_server_config
