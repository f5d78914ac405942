// Fuzzes the YAML parser, writers and edits. The spans of the tree are within the document and in
// order, scalars have the text of the file, and a printed tree parses to the same tree. In a small
// tree, every value is erased, set, renamed and added to.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/yaml/change.h"
#include "core/yaml/scalar.h"
#include "core/yaml/write.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

using yaml::Document;
using yaml::Node;

/// Limit for trees that aliases make very large (k8s::kPodValues).
constexpr std::size_t kMaxWritten = 5'000;
/// Each edit parses the file again.
constexpr std::size_t kMaxEdited = 12;
constexpr std::size_t kMaxEditedBytes = 4096;

bool is_within(Span inner, Span outer) {
  return inner.file == outer.file && inner.begin <= inner.end && outer.begin <= inner.begin &&
         inner.end <= outer.end;
}

/// Checks the spans of a tree.
class TreeCheck {
 public:
  explicit TreeCheck(const SourceFile& file) : file_(file) {}

  void node(const Node& node, Span outer) {
    require(is_within(node.span, outer), "a value is outside of its parent");
    require(node.kind != Node::Kind::missing && !node.made, "a value is not from the file");
    if (node.is_scalar()) scalar(node);
    if (node.anchored() != nullptr) return;
    std::uint32_t last = node.span.begin;
    for (const Node* item : node.items()) {
      require(item->parent() == &node && item->key() == nullptr, "an item has another parent");
      in_order(*item, last);
      this->node(*item, node.span);
    }
    for (const yaml::Entry& entry : node.entries()) {
      if (entry.merged) continue;
      require(entry.value->parent() == &node, "a value has another parent");
      require(entry.value->key() == entry.key, "a value has another key");
      in_order(*entry.key, last);
      this->node(*entry.key, node.span);
      in_order(*entry.value, last);
      this->node(*entry.value, node.span);
    }
  }

 private:
  static void in_order(const Node& node, std::uint32_t& last) {
    require(node.span.begin >= last, "a value begins before the end of the one before it");
    last = node.span.end;
  }

  void scalar(const Node& node) const {
    const std::string_view raw = file_.text(node.span);
    require(node.quoted || node.type == yaml::ScalarType::string || !node.text().empty(),
            "a number has no text");
    if (node.anchored() != nullptr) return require(raw.starts_with('*'), "an alias has no '*'");
    if (!node.quoted) {
      // Folded lines become one line.
      if (raw.find_first_of("\r\n") != std::string_view::npos) return;
      require(raw == node.text(), "a plain scalar is not the text at its place");
    } else if (raw.starts_with('"') || raw.starts_with('\'')) {
      require(raw.size() >= 2 && raw.back() == raw.front(), "a quote is not closed");
    } else {
      require(raw.starts_with('|') || raw.starts_with('>'), "a quoted scalar has no quotes");
    }
  }

  const SourceFile& file_;
};

void check_comments(const SourceFile& file, const Document& document) {
  std::uint32_t last = document.span.begin;
  for (const yaml::Comment& comment : document.comments) {
    require(is_within(comment.span, document.span), "a comment is outside of its document");
    require(comment.span.begin >= last, "comments are not in order");
    require(file.text(comment.span).starts_with('#'), "a comment has no '#'");
    last = comment.span.end;
  }
}

void check_problems(const Document& document) {
  if (document.problems.empty()) return;
  require(document.root->is_missing(), "a document with a problem has a tree");
  for (const yaml::Problem& problem : document.problems) {
    require(is_within(problem.where, document.span), "a problem is outside of its document");
    require(!problem.message.empty(), "a problem has no message");
    for (const auto& [where, text] : problem.notes) {
      require(is_within(where, document.span), "a note is outside of its document");
    }
  }
}

std::size_t depth_of(const Node& node) {
  std::size_t depth = 0;
  for (const Node* item : node.items()) depth = std::max(depth, depth_of(*item));
  for (const yaml::Entry& entry : node.entries()) depth = std::max(depth, depth_of(*entry.value));
  return depth + 1;
}

void reads_back(const Node& root, const std::string& written, std::string_view name) {
  require_harmless_yaml(written, name);
  const Documents again(written);
  const bool same = again.all.size() == 1 && again.all.front().problems.empty() &&
                    yaml::same_value(*again.all.front().root, root);
  require(same, fmt::format("a tree printed as {} is parsed as another one:\n{}", name,
                            printable(written)));
}

/// yaml-cpp limits a key without '?', as in flow style, to 1024 bytes; an escaped byte takes six.
bool has_long_key(const Node& root) {
  bool found = false;
  yaml::walk(root, [&](const Node& node) {
    found = found || std::ranges::any_of(node.entries(), [](const yaml::Entry& entry) {
              return entry.key->text().size() > 150;
            });
  });
  return found;
}

void check_writing(const Document& document) {
  const Node& root = *document.root;
  if (document.templated || root.is_empty() || root.is_scalar()) return;
  if (values_in(root, kMaxWritten) == kMaxWritten || depth_of(root) > 100) return;
  reads_back(root, yaml::to_yaml(root), "YAML");
  if (has_long_key(root)) return;
  reads_back(root, yaml::to_flow(root, false), "flow YAML");
  const std::string json = yaml::to_json(root);
  require_json(json, "JSON");
  reads_back(root, json, "JSON");
  require_json(yaml::to_flow(root, true), "flow JSON");
}

/// An edit is applied as intended, or rejected. It never breaks a document.
void check_edit(const Documents& documents, const Document& document,
                const Result<std::vector<Edit>>& edits) {
  if (!edits) return require(!edits.error().message.empty(), "an error has no message");
  for (const Edit& edit : *edits) {
    require(is_within(edit.where, document.span), "an edit is outside of its document");
  }
  const Documents after(apply(documents.file.bytes(), *edits));
  require(after.all.size() == documents.all.size(),
          fmt::format("an edit changes the number of documents:\n{}", after.file.bytes()));
  for (std::size_t i = 0; i < after.all.size(); ++i) {
    const Document& other = documents.all[i];
    if (&other == &document) {
      require(after.all[i].problems.empty(), "an edit breaks its document");
    } else {
      require(after.all[i].text(after.file) == other.text(documents.file),
              "an edit changes another document");
    }
  }
}

void check_edits(const Documents& documents, const Document& document) {
  if (documents.file.bytes().size() > kMaxEditedBytes || documents.all.size() > 4) return;
  std::vector<const Node*> nodes;
  yaml::walk(*document.root, [&](const Node& node) { nodes.push_back(&node); });
  if (nodes.size() > kMaxEdited || values_in(*document.root, kMaxWritten) == kMaxWritten) return;
  const Documents values("a: [b, 'c: d']\n");
  const Node& value = *values.all.front().root;
  const auto check = [&](const yaml::Change& change) {
    check_edit(documents, document, yaml::edits_for(documents.file, document, {&change, 1}));
  };
  for (const Node* node : nodes) {
    check(yaml::to_set(*node, value));
    check(yaml::to_set(*node, value["a"].at(1)));
    if (node->parent() != nullptr) check(yaml::to_erase(*node));
    if (node->key() != nullptr) check(yaml::to_rename(*node, "new: key"));
    if (node->is_mapping() || node->is_null()) {
      check(yaml::to_add_entry(*node, "new", value));
    }
    if (node->is_sequence() || node->is_null()) {
      check(yaml::to_add_item(*node, value));
    }
  }
}

/// The text between documents is blank, a comment or a document marker.
void check_between(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (std::string_view line : split(text, '\n')) {
    for (std::string_view part : split(line, '\r')) {
      if (part.starts_with("---")) part.remove_prefix(3);
      part = trim(part);
      require(part.empty() || part.starts_with('#') || part.starts_with('%') || part == "...",
              "text is in no document");
    }
  }
}

/// The documents cover the file, and joining and parsing them again results in the same documents.
void check_split(const Documents& documents) {
  std::uint32_t last = 0;
  std::string joined(documents.file.bytes().starts_with(kByteOrderMark) ? kByteOrderMark : "");
  for (const Document& document : documents.all) {
    require(document.span.begin >= last && document.span.end > document.span.begin,
            "documents overlap");
    check_between(documents.file.bytes().substr(last, document.span.begin - last));
    if (last > 0 && !joined.ends_with('\n') && !joined.ends_with('\r')) joined += '\n';
    joined += document.text(documents.file);
    last = document.span.end;
  }
  check_between(documents.file.bytes().substr(last));
  const Documents again(joined);
  require(again.all.size() == documents.all.size(), "joined documents have another number");
  for (std::size_t i = 0; i < again.all.size(); ++i) {
    const Document& one = documents.all[i];
    const Document& other = again.all[i];
    require(one.problems.empty() == other.problems.empty(), "a joined document has other problems");
    if (values_in(*one.root, kMaxWritten) == kMaxWritten) continue;
    require(yaml::same_value(*one.root, *other.root), "a joined document is parsed as another one");
  }
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched::fuzz;
  const Documents documents(text_of(data, size));
  check_split(documents);
  for (const cnsched::yaml::Document& document : documents.all) {
    check_problems(document);
    check_comments(documents.file, document);
    if (document.root->is_missing()) continue;
    TreeCheck(documents.file).node(*document.root, document.span);
    check_writing(document);
    check_edits(documents, document);
  }
  return 0;
}
