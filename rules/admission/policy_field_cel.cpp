#include "rules/admission/policy_field_cel.h"

#include <algorithm>

#include "core/base/ascii.h"

namespace cnsched::rules {

CelValues FieldWriter::of_list(std::string list) {
  CelValues values;
  values.exists = [this, list](const Holds& holds) {
    const std::string each = variable();
    const std::string text = holds(each);
    if (text == kCelFalse) return std::string(kCelFalse);
    return text == kCelTrue ? fmt::format("({}.size() > 0)", list)
                            : fmt::format("{}.exists({}, {})", list, each, text);
  };
  values.list = std::move(list);
  return values;
}

/// The value of a key in a map of texts.
CelValues FieldWriter::entry(const std::string& map, const std::string& key, std::string open) {
  CelValues values = of_list(fmt::format("child({}, {})", map, cel_string(key)));
  values.is_text = true;
  values.open_if_empty = std::move(open);
  return values;
}

CelValues FieldWriter::at_path(const std::string& root, std::span<const std::string> path) {
  CelValues values;
  values.is_several = std::ranges::find(path, "*") != path.end();
  values.is_pointer = !values.is_several;
  values.exists = [this, root,
                   path = std::vector<std::string>(path.begin(), path.end())](const Holds& holds) {
    std::vector<std::string> variables = {root};
    std::vector<std::string> lists;
    for (const std::string& step : path) {
      const std::string& node = variables.back();
      const std::string key = cel_string(step);
      // A number is an index in a list, and a key in a map.
      const bool is_number = !step.empty() && step.size() < 6 &&
                             std::ranges::all_of(step, [](char c) { return is_digit(c); }) &&
                             (step == "0" || step.front() != '0');
      lists.push_back(step == "*" ? fmt::format("children({})", node)
                      : is_number
                          ? fmt::format("(child({0}, {1}) + child_at({0}, {2}))", node, key, step)
                          : fmt::format("child({}, {})", node, key));
      variables.push_back(variable());
    }
    std::string text = holds(variables.back());
    if (text == kCelFalse) return text;
    for (std::size_t i = lists.size(); i-- > 0;) {
      text = text == kCelTrue ? fmt::format("({}.size() > 0)", lists[i])
                              : fmt::format("{}.exists({}, {})", lists[i], variables[i + 1], text);
    }
    return text;
  };
  return values;
}

CelValues FieldWriter::values_of(const FieldRef& field, const CelItem& item) {
  if (field.id == FieldId::item) {
    CelValues values;
    values.is_pointer = true;
    values.open_items = item.is_open;
    values.exists = [variable = item.variable](const Holds& holds) { return holds(variable); };
    return values;
  }
  if (field.id == FieldId::item_path) {
    CelValues values = at_path(item.variable, field.path);
    values.open_if_empty = item.is_open;
    values.open_items = item.is_open;
    if (values.is_several) values.open_if_set = item.is_open;
    return values;
  }
  switch (field.id) {
    case FieldId::object_labels:
      return entry(fmt::format("map_of({}.metadata.?labels)", object()), field.key, "false");
    case FieldId::object_annotations:
      return entry(fmt::format("map_of({}.metadata.?annotations)", object()), field.key, "false");
    case FieldId::object_pointer:
      return at_path(object(), field.path);
    case FieldId::pod_pointer:
      return pod_pointer(field);
    default:
      break;
  }
  // An object without pods has no such fields.
  return has_pods_ ? pod_values(field) : of_list("[]");
}

CelValues FieldWriter::pod_values(const FieldRef& field) {
  const auto items = [&](const std::string& list) {
    CelValues values = of_list(list);
    values.open_if_empty = values.open_if_set = values.open_items = "(pod.open || pod.merged)";
    values.items_are_open = true;
    return values;
  };
  switch (field.id) {
    case FieldId::node_selector:
      return entry("pod.nodeSelector", field.key, "pod.open");
    case FieldId::node_labels:
      return node_labels(field.key);
    case FieldId::tolerations: {
      CelValues values = of_list("list(pod.spec.?tolerations)");
      values.open_if_empty = values.open_if_set = values.open_items = "pod.open";
      return values;
    }
    case FieldId::accelerator_count:
      return device_count();
    case FieldId::accelerator_resource:
      return device_names();
    case FieldId::limits:
      return amount(field.key, true);
    case FieldId::requests:
      return amount(field.key, false);
    case FieldId::containers:
      return items("pod.containers");
    case FieldId::init_containers:
      return items("list(pod.spec.?initContainers)");
    case FieldId::image:
      return images();
    case FieldId::priority_class:
    case FieldId::runtime_class:
    case FieldId::service_account:
      return entry("pod.spec", field.text, "pod.open");
    case FieldId::scheduler:
      return scheduler();
    case FieldId::replicas: {
      CelValues values = of_list("pod.replicas.map(n, double(n))");
      values.is_amount = true;
      values.open_if_empty = "(pod.replicas.size() == 0)";
      return values;
    }
    case FieldId::mode:
      return mode();
    case FieldId::labels:
      return entry("map_of(pod.metadata.?labels)", field.key, "(pod.open || pod.merged)");
    case FieldId::annotations:
      return entry("map_of(pod.metadata.?annotations)", field.key, "(pod.open || pod.merged)");
    case FieldId::accelerator_product:
    case FieldId::accelerator_memory:
      fail(field.text, "the catalogue of accelerators is too large for an expression");
      return {};
    case FieldId::accelerator_total:
      fail(field.text, "it adds up several pods");
      return {};
    default:
      fail(field.text, "the field has no translation");
      return {};
  }
}

/// A label of nodeSelector, or what every term of the required affinity demands. A term that
/// accepts any value is a value that passes and fails.
CelValues FieldWriter::node_labels(const std::string& key) {
  CelValues values;
  values.open_if_empty = "pod.open";
  values.is_text = true;
  const std::string name = cel_string(key);
  values.exists = [this, name](const Holds& holds) {
    const std::string value = variable();
    const std::string text = holds(value);
    if (text == kCelFalse) return text;
    const auto demands = [&](std::string_view operators) {
      return fmt::format(
          "list(t.?matchExpressions).exists(r, text(r.?key) == {} && "
          "text(r.?operator) in [{}])",
          name, operators);
    };
    return fmt::format(
        "(child(pod.nodeSelector, {0}).exists({1}, {2}) || "
        "child(pod.nodeSelector, {0}).size() == 0 && pod.required.size() > 0 && "
        "pod.required.all(t, {3}) && pod.required.exists(t, !{4} || "
        "list(t.?matchExpressions).exists(r, text(r.?key) == {0} && text(r.?operator) == 'In' && "
        "list(r.?values).exists({1}, {2}))))",
        name, value, text, demands("'In', 'Exists', 'Gt', 'Lt'"), demands("'In'"));
  };
  return values;
}

CelValues FieldWriter::device_count() {
  CelValues values = of_list(
      "[double((pod.containers + list(pod.spec.?initContainers).filter(c, is_sidecar(c)))"
      ".map(c, double(device_amounts(c).sum())).sum())]");
  values.is_amount = true;
  // The devices of other init containers are released; their maximum may be higher.
  values.is_lower_bound =
      "(pod.open || list(pod.spec.?initContainers).exists(c, !is_sidecar(c) && "
      "device_amounts(c).size() > 0))";
  return values;
}

CelValues FieldWriter::device_names() {
  CelValues values;
  values.is_text = true;
  values.open_if_empty = values.open_if_set = "pod.open";
  values.exists = [this](const Holds& holds) {
    const std::string name = variable();
    const std::string text = holds(name);
    if (text == kCelFalse) return text;
    return fmt::format("any_request(pod.allContainers, {0}, is_accelerator({0}) && {1})", name,
                       text);
  };
  return values;
}

/// The scheduler's sum: containers and sidecars together, or the largest init container.
CelValues FieldWriter::amount(const std::string& resource, bool limits) {
  const std::string key = cel_string(resource);
  const std::string of = fmt::format("{}(c, {})", limits ? "limit_of" : "request_of", key);
  const std::string sidecars = "list(pod.spec.?initContainers).filter(c, is_sidecar(c))";
  const std::string ordinary = "list(pod.spec.?initContainers).filter(c, !is_sidecar(c))";
  const std::string amounts =
      fmt::format("filter(c, has_amount({0})).map(c, amount({0}.orValue('')))", of);
  const bool is_used_by_all =
      resource == "cpu" || resource == "memory" || resource == "ephemeral-storage";
  const std::string is_absent =
      is_used_by_all
          ? fmt::format("(pod.containers + {}).exists(c, !has_amount({})) || ", sidecars, of)
          : std::string();
  CelValues values = of_list(fmt::format(
      "[[pod.containers + {0}, {1}].map(l, l.{2})].map(l, {3}l[0].size() + l[1].size() == 0 ? [] : "
      "[([double(l[0].sum())] + l[1].map(x, double(x))).max()])[0]",
      sidecars, ordinary, amounts, is_absent));
  values.is_amount = true;
  // KServe adds resources to containers that have none.
  values.open_if_empty = "(pod.open || pod.merged || is_set(pod.spec.?resources))";
  values.is_lower_bound = "(pod.open || pod.merged || is_set(pod.spec.?resources))";
  return values;
}

CelValues FieldWriter::images() {
  CelValues values = of_list("pod.allContainers.filter(c, is_set(c.?image)).map(c, c.image)");
  values.is_text = true;
  values.open_if_empty = values.open_if_set = "(pod.open || pod.merged)";
  return values;
}

CelValues FieldWriter::scheduler() {
  CelValues values = of_list(
      "(child(pod.spec, 'schedulerName').size() > 0 || pod.open ? "
      "child(pod.spec, 'schedulerName') : [dyn('default-scheduler')])");
  values.is_text = true;
  values.open_if_empty = "pod.open";
  return values;
}

CelValues FieldWriter::mode() {
  CelValues values = of_list(
      "[deployment_mode(pod.object)].filter(m, request.kind.kind == 'InferenceService' && "
      "m in ['knative', 'standard', 'modelmesh']).map(m, {'knative': 'Knative', "
      "'standard': 'Standard', 'modelmesh': 'ModelMesh'}[m])");
  values.is_text = true;
  values.open_if_empty = "(request.kind.kind == 'InferenceService')";
  return values;
}

CelValues FieldWriter::pod_pointer(const FieldRef& field) {
  const std::span<const std::string> path(field.path);
  if (!has_pods_) return at_path(object(), path);
  const auto is_step = [&](std::size_t at, std::string_view name) {
    return path.size() > at && path[at] == name;
  };
  CelValues values;
  if (is_step(0, "spec") && path.size() > 1) {
    values = at_path("pod.spec", path.subspan(1));
    const bool is_added = is_step(1, "containers") || is_step(1, "initContainers") ||
                          is_step(1, "volumes") || is_step(1, "*");
    values.open_if_empty = is_added ? "(pod.open || pod.merged)" : "pod.open";
  } else if (is_step(0, "metadata") && path.size() > 2 &&
             (is_step(1, "labels") || is_step(1, "annotations"))) {
    values = at_path("pod.metadata", path.subspan(1));
    values.open_if_empty = "(pod.open || pod.merged)";
  } else if (is_step(0, "metadata") && path.size() > 1) {
    values = at_path("pod.object", path);
    values.open_if_empty = "pod.open";
  } else {
    fail(field.text, "the pointer has no translation");
    return {};
  }
  values.open_items = values.open_if_empty;
  values.items_are_open = is_step(1, "containers") || is_step(1, "initContainers");
  if (values.is_several) values.open_if_set = values.open_if_empty;
  return values;
}

}  // namespace cnsched::rules
