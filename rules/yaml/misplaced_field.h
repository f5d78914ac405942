#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace cnsched::rules {

/// The one place where a field can have been meant to be. Nothing where there are several, or none.
struct Home {
  const yaml::Node* mapping = nullptr;
  std::string way{};    ///< from the mapping to what has the field, a JSON Pointer
  std::string title{};  ///< empty: the words of the help
};

/// A field at a level that does not have it, though another does.
struct Misplaced {
  const yaml::Node* value;
  std::string message;
  std::string help;
  Home home;
  std::string way;  ///< from the home's mapping, the field's name included; empty: its entries move
};

/// Every misplaced field of the object: those that people are known to misplace, and any field of
/// scheduling among the unknown ones.
std::vector<Misplaced> misplaced_fields(const k8s::Object& object, Deviations deviations);

/// Notes which fields of the pod, written below, are lost with a field that does not exist.
void note_losses(const yaml::Node& value, Report::Finding& finding);

}  // namespace cnsched::rules
