// The pods are looked at as their controllers make them. What they lack is put in, and then they
// are made and looked at again: what one of them was given may have been all that another lacked.
#include "templates/pin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/base/text.h"
#include "core/yaml/tree.h"
#include "templates/pin_plan.h"
#include "templates/pin_target.h"

namespace cnsched::templates {

namespace {

/// So often are the pods made anew: what others are built on, the others, and to see that it is
/// all.
constexpr int kRounds = 6;

constexpr auto kParameters =
    std::to_array<std::string_view>({"platform", "accelerator", "gpus", "migStrategy"});

/// What can be done about a text that cannot be edited.
std::string_view advice_on(const Error& error) {
  const bool is_repeated = error.message.find("alias") != std::string::npos;
  return is_repeated ? ": write out what is repeated to have it pinned" : "";
}

/// The settings for pods that ask for so many accelerators.
class Filled {
 public:
  Filled(std::int64_t gpus, const Said& said)
      : parameters_(pin_parameters(gpus, arena_)), settings_(Form{"pin", parameters_}, said) {}

  const Settings& settings() const { return settings_; }

 private:
  Arena arena_;
  std::vector<Parameter> parameters_;
  Settings settings_;
};

class Pinner {
 public:
  Pinner(const PinRequest& request, const LoadOptions& around)
      : request_(request), around_(around) {
    result_.text = request.text;
  }

  Pinned result() && {
    for (int round = 0; round < kRounds; ++round) {
      const bool is_first = round == 0;
      const bool is_done = !look(is_first);
      if (is_done || !result_.problems.empty()) return std::move(result_);
    }
    blame(Pinned::Blame::manifest,
          fmt::format("{}: the pods do not come to say what they are given",
                      printable(request_.path)));
    return std::move(result_);
  }

 private:
  void blame(Pinned::Blame who, std::string problem) {
    result_.blame = who;
    result_.problems.push_back(std::move(problem));
  }

  /// Makes the pods and gives the first that lack something what they lack. False if none does, or
  /// there is a problem.
  bool look(bool is_first) {
    Workspace run;
    LoadOptions options = around_;
    options.memory_files.push_back({request_.path, result_.text});
    run.load(options);
    if (is_first && !is_readable(run)) return false;
    const auto pods = pods_to_pin(run, request_.components);
    if (!pods) {
      blame(Pinned::Blame::request, pods.error().message);
      return false;
    }
    if (is_first && !are_settings_right(*pods)) return false;
    // What is built on others is looked at again when those are done.
    for (const bool fragment : {true, false}) {
      Arena arena;
      ByDocument changes;
      for (const Workload* pod : *pods) {
        if (pod->fragment == fragment) plan(run, *pod, arena, changes);
      }
      if (!result_.problems.empty()) return false;
      if (!changes.empty()) return change(run, changes);
    }
    return false;
  }

  // Reading.

  std::string place(const Workspace& run, Span span) const {
    const Position at = run.file_of(span).position(span.begin);
    return fmt::format("{}:{}:{}", printable(request_.path), at.line, at.column);
  }

  bool is_readable(const Workspace& run) {
    for (const auto& loaded : run.documents()) {
      if (!loaded->linted) continue;
      if (loaded->fate == Fate::templated) {
        blame(Pinned::Blame::manifest,
              fmt::format("{}: this is a Helm template: pin what Helm renders, with 'helm template "
                          "CHART | cnsched generate pin -', or set the placement in its values",
                          place(run, loaded->document.span)));
      }
      if (loaded->fate != Fate::broken) continue;
      for (const yaml::Problem& problem : loaded->document.problems) {
        blame(Pinned::Blame::manifest,
              fmt::format("{}: {}; mend it first ('cnsched lint' says more)",
                          place(run, problem.where), printable(problem.message)));
      }
    }
    const bool has_pods = std::ranges::any_of(
        run.workloads(), [&](const Workload& pod) { return run.is_linted(*pod.object); });
    if (result_.problems.empty() && !has_pods) {
      blame(Pinned::Blame::manifest,
            fmt::format("{}: nothing in it describes a pod of a model server, a Deployment or the "
                        "like that could be pinned",
                        printable(request_.path)));
    }
    return result_.problems.empty();
  }

  // Parameters.

  const Settings& settings_for(const Workload& pod) {
    const std::int64_t gpus = accelerators_of(pod);
    auto& filled = filled_[gpus];
    if (!filled) filled = std::make_unique<Filled>(gpus, request_.said);
    return filled->settings();
  }

  bool are_settings_right(const std::vector<const Workload*>& pods) {
    for (const Workload* pod : pods) {
      const Settings& settings = settings_for(*pod);
      for (const std::string& problem : settings.problems()) {
        if (std::ranges::find(result_.problems, problem) != result_.problems.end()) continue;
        blame(Pinned::Blame::request, problem);
        result_.mended = settings.mended();
        // What is said in full and still impossible has no better command to offer.
        if (settings.said().size() == settings.mended().size() && !settings.said().empty()) {
          result_.mended.clear();
        }
      }
      result_.pods.push_back(description_of(*pod));
    }
    return result_.problems.empty();
  }

  // Changing.

  using ByDocument = std::map<Span, std::vector<Change>>;

  void plan(const Workspace& run, const Workload& pod, Arena& arena, ByDocument& changes) {
    const Settings& settings = settings_for(pod);
    const Pin pin{settings.values(), settings.is_said("gpus"), request_.container};
    auto planned = changes_for(pod, pin, arena);
    if (!planned) {
      blame(Pinned::Blame::manifest, fmt::format("{}: {} {}", place(run, pod.written->span),
                                                 description_of(pod), planned.error().message));
      return;
    }
    if (planned->empty()) return;
    std::ranges::move(*planned, std::back_inserter(changes[pod.object->document->span]));
  }

  /// All of it, or nothing if something cannot be done.
  bool change(const Workspace& run, const ByDocument& changes) {
    std::string text;
    std::size_t taken = 0;  // of the text as it was
    for (const auto& [span, all] : changes) {
      std::string document(run.file_of(span).text(span));
      for (const Change& each : all) {
        auto next = changed(document, each);
        if (!next) {
          blame(Pinned::Blame::manifest,
                fmt::format("{}: {}{}", place(run, each.where), printable(next.error().message),
                            advice_on(next.error())));
          return false;
        }
        document = *std::move(next);
      }
      text += result_.text.substr(taken, span.begin - taken) + document;
      taken = span.end;
    }
    result_.text = text + result_.text.substr(taken);
    return true;
  }

  const PinRequest& request_;
  const LoadOptions& around_;
  std::map<std::int64_t, std::unique_ptr<Filled>> filled_;
  Pinned result_;
};

}  // namespace

std::vector<Parameter> pin_parameters(std::int64_t gpus, Arena& arena) {
  std::vector<Parameter> parameters;
  for (const std::string_view name : kParameters) {
    const auto& common = common_parameters();
    parameters.push_back(*std::ranges::find(common, name, &Parameter::name));
    if (name == "gpus") {
      parameters.back().default_value = &yaml::integer_like(arena, yaml::nowhere(), gpus);
    }
  }
  return parameters;
}

Pinned pin(const PinRequest& request, const LoadOptions& around) {
  return Pinner(request, around).result();
}

}  // namespace cnsched::templates
