#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/simulation.h"
#include "core/source/source_file.h"

namespace cnsched::change {

/// Where a value comes from.
struct Place {
  enum class Kind : unsigned char {
    none,    ///< a controller or the API server sets it
    value,   ///< it is written there
    cause,   ///< it is computed from what is written there
    around,  ///< there is no such value: the nearest list or object that could hold it
  };
  Kind kind = Kind::none;
  Span where{};  ///< of the side's workspace
};

/// One value that decides where a pod runs, in canonical words: two pods with the same facts are
/// the same for placement. A name may occur several times (tolerations, terms).
struct Fact {
  std::string_view part;  ///< "nodeSelector", "resources", …: a constant
  std::string name;       ///< "nodeSelector['pool']"
  std::string value;      ///< "l4"; not yet printable
  const yaml::Node* node = nullptr;  ///< null: nobody writes it

  friend bool operator==(const Fact& a, const Fact& b) {
    return a.part == b.part && a.name == b.name && a.value == b.value;
  }
};

/// The labels of pods that selectors of a simulation read; other labels do not affect placement.
using LabelKeys = std::set<std::string, std::less<>>;
void add_selected_keys(const sim::Simulation& simulation, LabelKeys& keys);

/// The facts about a pod and its replicas, sorted by name and value.
std::vector<Fact> facts_of(const sim::Simulated& pod, const LabelKeys& selected);

/// The place of a fact.
Place place_of(const yaml::Node* node);
/// The nearest list or object of the pod that could hold `fact`.
Place place_around(const Fact& fact, const sim::Simulated& pod);

}  // namespace cnsched::change
