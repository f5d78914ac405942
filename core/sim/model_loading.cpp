#include "core/sim/model_loading.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/quantity.h"
#include "core/seldon/model.h"

namespace cnsched::sim {

namespace {

/// What a Model asks of its Server.
struct Needs {
  explicit Needs(const yaml::Node& spec)
      : tags(seldon::required_tags(spec)), pin(&seldon::pin_of(spec)) {
    const auto quantity = k8s::Quantity::parse(spec["memory"].text());
    if (spec["memory"].is_scalar() && quantity) memory = quantity->value();
    memory_text = spec["memory"].text();
    if (const auto needed = seldon::replicas_needed(spec)) replicas = needed->count;
  }

  std::vector<seldon::RequiredTag> tags;
  const yaml::Node* pin;
  std::optional<std::int64_t> memory;
  std::string_view memory_text;
  std::optional<std::int64_t> replicas;
};

class Judge {
 public:
  Judge(const Needs& needs, const ModelServer& server) : needs_(needs), result_{&server} {}

  ServerVerdict judge() && {
    if (*needs_.pin && needs_.pin->text() != result_.server->name()) {
      refuse(fmt::format("the Model is pinned to Server '{}'", printable(needs_.pin->text())));
    }
    tags();
    memory();
    replicas();
    return std::move(result_);
  }

 private:
  void refuse(std::string reason) {
    result_.verdict = Verdict::infeasible;
    result_.reasons.push_back(std::move(reason));
  }
  void doubt(std::string reason) {
    if (result_.verdict == Verdict::ok) result_.verdict = Verdict::unknown;
    result_.reasons.push_back(std::move(reason));
  }

  void tags() {
    const seldon::Offer& offer = result_.server->offer;
    if (!offer.capabilities) {
      if (!needs_.tags.empty()) doubt("its capabilities are not known");
      return;
    }
    for (const seldon::RequiredTag& tag : needs_.tags) {
      if (offer.capabilities->hold(tag.tag)) continue;
      const std::string lack = fmt::format("does not offer '{}'", printable(tag.tag));
      // The cluster's own ServerConfig may have been extended.
      if (offer.capabilities->shipped) {
        doubt(lack + ", as Seldon ships it");
      } else {
        refuse(lack);
      }
    }
  }

  void memory() {
    const auto& offered = result_.server->offer.memory;
    if (!needs_.memory) return;
    if (!offered) return doubt("its memory is not known");
    if (*needs_.memory <= offered->available()) return;
    refuse(fmt::format("offers {} of memory, the Model needs {}",
                       seldon::shown_memory_like(needs_.memory_text, offered->available()),
                       printable(needs_.memory_text)));
  }

  void replicas() {
    const auto& offered = result_.server->offer.replicas;
    if (!needs_.replicas || !offered || *needs_.replicas <= *offered) return;
    refuse(fmt::format(
        "has {}, the Model needs {}",
        count_of(static_cast<std::size_t>(std::max<std::int64_t>(*offered, 0)), "replica"),
        *needs_.replicas));
  }

  const Needs& needs_;
  ServerVerdict result_;
};

}  // namespace

std::size_t LoadedModel::feasible() const {
  return static_cast<std::size_t>(
      std::ranges::count(servers, Verdict::ok, &ServerVerdict::verdict));
}

bool LoadedModel::fits_nowhere() const {
  return !servers.empty() && !may_be_shipped &&
         std::ranges::all_of(servers, [](const ServerVerdict& server) {
           return server.verdict == Verdict::infeasible;
         });
}

ModelLoading::ModelLoading(const Workspace& run) : servers_(run) {
  for (const k8s::Object* object : linted_models(run)) {
    const Needs needs(object->spec());
    const ModelServers::List seen = servers_.seen_from(object->ns);
    LoadedModel model{.object = object};
    for (const ModelServer* server : seen) {
      model.servers.push_back(Judge(needs, *server).judge());
    }
    model.may_be_shipped = !*needs.pin && can_run_on_shipped(needs.tags, seen);
    models_.push_back(std::move(model));
  }
}

}  // namespace cnsched::sim
