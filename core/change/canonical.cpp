#include "core/change/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::change {

namespace {

using yaml::Node;

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxText = std::size_t{64} << 10U;

/// Sorted, each once, with commas.
std::string set_text(std::vector<std::string> parts) {
  std::ranges::sort(parts);
  const auto rest = std::ranges::unique(parts);
  parts.erase(rest.begin(), rest.end());
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string words_text(const Node& list) {
  std::vector<std::string> words;
  for (const Node* item : list.items()) words.push_back(word(item->text()));
  return set_text(std::move(words));
}

std::string requirement_text(const k8s::Requirement& r) {
  const std::string key = word(r.key);
  if (r.op == "Exists") return key;
  if (r.op == "DoesNotExist") return "!" + key;
  std::vector<std::string> values;
  for (const Node* value : r.values) values.push_back(word(value->text()));
  const bool is_one = !values.empty() && std::ranges::all_of(values, [&](const std::string& value) {
    return value == values.front();
  });
  const std::string set = set_text(std::move(values));
  if (r.op == "In" && is_one) return fmt::format("{}={}", key, set);
  if (r.op == "Gt") return fmt::format("{} > {}", key, set);
  if (r.op == "Lt") return fmt::format("{} < {}", key, set);
  const std::string op = r.op == "In" ? "in" : r.op == "NotIn" ? "notin" : word(r.op);
  return fmt::format("{} {} ({})", key, op, set);
}

/// ", matchLabelKeys (a)" or nothing.
std::string keys_text(const Node& holder, std::string_view field) {
  if (holder.under(field).items().empty()) return {};
  return fmt::format(", {} ({})", field, words_text(holder.under(field)));
}

std::string text_or(const Node& scalar, std::string_view unset) {
  return word(scalar.text().empty() ? unset : scalar.text());
}

class Flow {
 public:
  std::string text(const Node& node) {
    add(node, 0);
    if (out_.size() > kMaxText) out_.resize(kMaxText);
    return std::move(out_);
  }

 private:
  static bool is_unset(const Node& node) { return node.is_empty(); }

  void add(const Node& node, std::size_t depth) {
    if (depth > kMaxDepth || out_.size() > kMaxText) return;
    if (node.is_mapping()) {
      add_mapping(node, depth);
    } else if (node.is_sequence()) {
      out_ += '[';
      for (std::size_t i = 0; i < node.items().size() && out_.size() <= kMaxText; ++i) {
        if (i > 0) out_ += ", ";
        add(*node.items()[i], depth + 1);
      }
      out_ += ']';
    } else {
      out_ += yaml::json_literal(node).value_or(word(node.text()));
    }
  }

  void add_mapping(const Node& node, std::size_t depth) {
    std::vector<yaml::Entry> entries = yaml::entries_of(node);
    std::erase_if(entries, [](const yaml::Entry& entry) { return is_unset(*entry.value); });
    std::ranges::stable_sort(entries, {}, [](const yaml::Entry& e) { return e.key->text(); });
    out_ += '{';
    for (std::size_t i = 0; i < entries.size() && out_.size() <= kMaxText; ++i) {
      if (i > 0) out_ += ", ";
      out_ += word(yaml::key_text(*entries[i].key)) + ": ";
      add(*entries[i].value, depth + 1);
    }
    out_ += '}';
  }

  std::string out_;
};

/// The pods that a labelSelector selects: "app=a", "all pods", "no pods".
std::string selected_pods(const Node& label_selector) {
  if (!label_selector.is_mapping()) return "no pods";
  const std::string text = conjunction(k8s::label_selector_in(label_selector));
  return text.empty() ? "all pods" : text;
}

}  // namespace

std::string word(std::string_view text) {
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '/';
  });
  return is_plain ? std::string(text) : yaml::quoted_for_json(text);
}

std::string quoted(std::string_view text) {
  const std::string plain = word(text);
  return plain.starts_with('"') ? plain : fmt::format("'{}'", plain);
}

std::string entry_name(std::string_view map, std::string_view key) {
  return fmt::format("{}[{}]", map, quoted(key));
}

std::string conjunction(const std::vector<k8s::Requirement>& requirements) {
  std::vector<std::string> parts;
  for (const k8s::Requirement& r : requirements) parts.push_back(requirement_text(r));
  return set_text(std::move(parts));
}

std::string toleration_text(const k8s::Toleration& t) {
  std::string text = t.key.empty() ? "" : word(t.key);
  const bool is_equal = t.op.empty() || t.op == "Equal";
  if (!t.value.empty()) text += "=" + word(t.value);
  if (!t.effect.empty()) text += ":" + word(t.effect);
  if (!is_equal) text += (text.empty() ? "op=" : " op=") + word(t.op);
  if (t.seconds) text += fmt::format(" for {}s", std::max<std::int64_t>(*t.seconds, 0));
  return text;
}

std::string taint_text(const k8s::Taint& taint) {
  return word(taint.key) + (taint.value.empty() ? "" : "=" + word(taint.value)) + ":" +
         word(taint.effect);
}

std::string affinity_term_text(const Node& term, std::string_view ns) {
  std::string text = fmt::format("{}, topologyKey {}", selected_pods(term["labelSelector"]),
                                 word(term["topologyKey"].text()));
  text += keys_text(term, "matchLabelKeys");
  text += keys_text(term, "mismatchLabelKeys");
  const Node& selector = term["namespaceSelector"];
  const std::string listed = words_text(term["namespaces"]);
  // Without both, those of the pod's own namespace.
  const bool is_own =
      !selector.is_mapping() && (listed.empty() || (!ns.empty() && listed == word(ns)));
  if (is_own) return text;
  if (!listed.empty()) text += fmt::format(", namespaces ({})", listed);
  if (selector.is_mapping()) {
    const std::string selected = conjunction(k8s::label_selector_in(selector));
    text += fmt::format(", namespaceSelector ({})", selected.empty() ? "all" : selected);
  }
  return text;
}

std::string spread_text(const Node& constraint) {
  std::string text = fmt::format("maxSkew {}, {}", text_or(constraint["maxSkew"], "0"),
                                 text_or(constraint["whenUnsatisfiable"], "DoNotSchedule"));
  // Without minDomains, it is 1.
  const std::string domains = text_or(constraint["minDomains"], "1");
  if (domains != "1") text += fmt::format(", minDomains {}", domains);
  const std::string affinity = text_or(constraint["nodeAffinityPolicy"], "Honor");
  if (affinity != "Honor") text += fmt::format(", nodeAffinityPolicy {}", affinity);
  const std::string taints = text_or(constraint["nodeTaintsPolicy"], "Ignore");
  if (taints != "Ignore") text += fmt::format(", nodeTaintsPolicy {}", taints);
  text += keys_text(constraint, "matchLabelKeys");
  return text + ": " + selected_pods(constraint["labelSelector"]);
}

std::string flow_text(const Node& node) { return Flow().text(node); }

Amount amount_in(const Node& quantity) {
  const std::string text = yaml::json_literal(quantity).value_or(std::string(quantity.text()));
  const auto parsed = Quantity::parse(text);
  if (!parsed) return {"?" + text, text};
  const Quantity rounded = parsed->rounded_to_milli();
  return {rounded.is_integer() ? fmt::to_string(rounded.value())
                               : fmt::format("{}m", rounded.milli_value()),
          rounded.canonical()};
}

}  // namespace cnsched::change
