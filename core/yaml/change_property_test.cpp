// Erases, sets, extends and moves every node of unusual documents. The result must be the expected
// tree, and its text must be unchanged outside the change.
#include <cstdlib>

#include "core/yaml/change.h"
#include "core/yaml/scalar.h"
#include "core/yaml/split.h"
#include "core/yaml/tree.h"
#include "core/yaml/tree_builder.h"
#include "testdata/support.h"

namespace cnsched::yaml::change_property_test {

/// A text, and how many edits of it fail.
struct Unusual {
  std::string name;
  std::string text;
  int failed = 0;
  int failed_moves = 0;
};

const std::vector<Unusual>& unusual_texts() {
  static const std::vector<Unusual> kTexts = {
      {"comments everywhere",
       "# head\n\n# on a\na: 1 # behind a\n# on b\nb:   # behind b\n  # on c\n  c: 2\n\n"
       "  # apart\n\n  # on d\n  d:\n  # on e\n  - e  # behind e\n  # in d\n  # on f\n  - f: 1\n"
       "    # on g\n    g: 2 # behind g\n      # deeper\n  # at the end of b\n# on h\nh: 3\n# "
       "foot\n"},
      {"odd indentation",
       "a:\n       b:\n         - c\n         -    d: 1\n              e: 2\n       f:\n"
       "       -   - g\n           - h\n       i: {j: 1,\n  k: 2}\nl:\n m: n\n"},
      {"CRLF",
       "a: 1\r\n# on b\r\nb:\r\n  - c # behind\r\n  - d: 1\r\n    e: |\r\n      x\r\n"
       "\r\n      z\r\nf: {g: 1,\r\n  h: 2}\r\n",
       0, 2},
      {"byte order mark", "\xEF\xBB\xBF# head\na: 1\nb:\n- c\n- d\n"},
      {"no final newline", "a: 1\nb:\n- c: 1\n  d: 2\n- e"},
      {"no final newline, nested", "a:\n  b:\n    c: 1"},
      {"no final newline, text", "a: 1\nb: |\n  x\n  z", 11},
      {"flow",
       "a: {b: 1, c: [d, {e: f}, [], {}], g: {}}  # behind\nh: [ i , j,]\nk: {l, m: , n: o}\n"
       "p: [q: r, s]\nt: { \"u\": 'v', \"w\": \"x\" }\n",
       12, 50},
      {"flow on lines",
       "a: {  # open\n  b: 1,  # on b\n  # on c\n  c: [d,\n    e],\n  f: 2  # on f\n}\n"
       "g: [\n  h,\n  i,\n]\nj: [k, l,\n  m, n,\n  o, p]\nq: { r: 1\n   , s: 2\n   , t: 3\n   }\n",
       0, 14},
      {"JSON",
       "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [1, 2, {\"d\": \"e\"}],\n    \"f\": {}\n  },\n"
       "  \"g\": [\n    \"h\",\n    {\n      \"i\": null\n    }\n  ],\n  \"j\": "
       "\"\\ud83d\\ude00\"\n}\n"},
      {"JSON on one line", "{\"a\":1,\"b\":[1,2],\"c\":{\"d\":{\"e\":true}}}"},
      {"JSON with tabs", "{\n\t\"a\": 1,\n\t\"b\": [\n\t\t\"c\",\n\t\t\"d\"\n\t]\n}\n"},
      {"JSON list", "[\n  {\"a\": 1},\n  {\"b\": [2]}\n]\n"},
      {"texts",
       "a: |\n  x\n\n  # no comment\n  z\n\n\nb: >-  # folded\n  one\n  two\n\n  three\n# on c\n"
       "c: |+\n  kept\n\n\nd: |2-\n    x\n   z\ne:\n- |\n  x\n\n- >\n x\n- w\n"},
      {"text kept at the end", "a:\n  b: 1\n  c: |+\n    x\n\n\n# foot\n"},
      {"dashes",
       "- - a\n  - b\n- - - c\n    - d: 1\n      e: 2\n  - f\n-\n  - g\n-\n\n  # on h\n"
       "  h: 1\n  i: 2\n- # on j\n  j: 1\n"},
      {"question marks",
       "? a\n: b\n? c  # on c\n:\n  d: 1\n? e\nf: 2\n? g\n: - h\n  - i\n? |\n  k\n"
       ": l\n",
       21},
      {"tags",
       "!thing\na: !!str 1\nb: !!map\n  c: !own {d: 1}\n  e: !!null ~\n"
       "g: !!seq\n  - !!int '1'\n  - !x\n    h: 1\n!!str i: 2\n",
       2},
      {"unused anchors",
       "a: &a 1\nb: &b\n  c: &c [d]\n&k e: &e\n  # on f\n  f: &f |\n    x\ng: &g\n"},
      {"texts over lines",
       "a: one\n  two\n\n  three  # behind\nb: \"one\n  two\"\nc:\n  below\n  it\n"
       "d:\n  'quoted\n\n  below'\ne:\n- one\n  two\n- x\n"},
      {"values below",
       "a:  # behind\n  # on b\n\n  b\nc:\n  {d: 1}\ne:\n    [f,\n    g]\nh: # x\n"
       "    # y\n    i: 1\nj:\n  |\n  x\nk:\n  - l\n",
       0, 6},
      {"empty",
       "a:\nb: # behind\nc:\n  d:\n  e:\nf:\n-\n- # behind\n- g:\n- ~\nh: null\ni: ''\n"
       "j: {}\nk: []  # behind\nl:\n"},
      {"aliases", "a: &a {b: 1, c: 2}\nd: *a\ne:\n- *a\n- f: *a\ng: &g x\n*g : y1\nh: 1\n", 92, 60},
      {"merges",
       "a: &a\n  b: 1\nc:\n  d: 1\n  <<: *a\n  e: 2\nf:\n  <<: *a\ng: {<<: *a, h: 1}\n"
       "i:\n- <<: *a\n  j: 1\n",
       36, 34},
      {"an anchor twice", "a: &x 1\nb: &x 2\nc: *x\n", 12},
      {"duplicate keys", "a: 1\nb: 2\na: 3\nc: {d: 1, d: 2}\n"},
      {"several documents",
       "# first\n---\na: 1\nb:\n- c\n---\n# second\n\nd:\n  e: 1\n# foot\n--- # third\nf: |\n  "
       "x\n...\n"},
      {"blank lines", "\n\na: 1\n\n\nb:\n\n  c: 1\n\n  d: 2\n\n\ne:\n\n- f\n\n- g\n\n\n"},
      {"trailing blanks", "a: 1  \nb:  \n  c: 1   \n  d: |  \n    x  \n  \ne:\t1\t# behind\n"},
      {"keys", "\"a b\": 1\n'c': 2\nyes: 3\n1.50: 4\nd/e~f: 5\n'': 6\nü: é\ng:h: 7\n"},
      {"a scalar", "# head\nx  # behind\n"},
      {"a text", "--- |\n  x\n  z\n"},
      {"a list", "# head\n- a\n# on b\n- b\n"},
      {"strange comments",
       "a: x#no\nb: '# no'\nc: |\n  # no\n  x\n # odd\nd: 1\n    # deep\n\n# low\n"
       "e:\n# low\n  f: 1\n   # deep\n # odd\n  g: 2\n"},
      {"manifest",
       "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n  labels: {app: x}\nspec:\n"
       "  # GPUs\n  tolerations:\n  - key: nvidia.com/gpu  # taint\n    operator: Exists\n"
       "    effect: NoSchedule\n  # spot\n  - key: spot\n    value: \"true\"\n  containers:\n"
       "    - name: main\n      args: [\"--x\", \"--z\"]\n      command:\n        - sh\n        - "
       "-c\n"
       "        - |\n          echo  # no comment\n      resources:\n        limits: {cpu: 1, "
       "memory: 1Gi}\n",
       0, 10},
  };
  return kTexts;
}

/// The documents of a text.
struct Texts {
  explicit Texts(const std::string& text) : file(0, "test.yaml", text) {
    for (const Span where : split(file)) documents.push_back(parse(file, where));
  }
  SourceFile file;
  std::vector<Document> documents;
};

bool is_within(const Node& node, const Node& other) {
  const Node* at = &node;
  while (at != nullptr && at != &other) at = at->parent();
  return at == &other;
}

/// `node` with another node in the place of `old`; nothing in its place if `fresh` is null. What
/// does not change stays the same node.
const Node& changed(Arena& arena, const Node& node, const Node& old, const Node* fresh) {
  if (&node == &old) return *fresh;
  if (node.anchored() != nullptr) return node;
  std::vector<const Node*> items;
  std::vector<Entry> entries;
  bool same = true;
  const auto other = [&](const Node* child) {
    if (child == &old && fresh == nullptr) return fresh;
    return &changed(arena, *child, old, fresh);
  };
  for (const Node* item : node.items()) {
    items.push_back(other(item));
    same = same && items.back() == item;
  }
  for (const Entry& entry : node.entries()) {
    const Node* value = entry.merged ? entry.value : other(entry.value);
    entries.emplace_back(*entry.key, *value, entry.merged);
    same = same && value == entry.value;
  }
  if (same) return node;
  std::erase(items, nullptr);
  std::erase_if(entries, [](const Entry& entry) { return entry.value == nullptr; });
  mark_overridden(entries);
  return node.is_sequence() ? sequence_like(arena, node, items)
                            : mapping_like(arena, node, entries);
}

/// The children of the collection, without merged ones.
std::vector<const Node*> siblings_of(const Node& node) {
  std::vector<const Node*> all(node.parent()->items().begin(), node.parent()->items().end());
  for (const Entry& entry : node.parent()->entries()) {
    if (!entry.merged) all.push_back(entry.value);
  }
  return all;
}

/// An edit and its checks.
class Check {
 public:
  Check(const Texts& texts, std::size_t index, const Node& node)
      : texts_(texts), index_(index), document_(texts.documents[index]), node_(node) {}

  /// Whether the edit was made.
  bool erased() {
    if (node_.parent() == nullptr) {
      CHECK_FALSE(edits_of({to_erase(node_)}));
      return true;
    }
    const auto edits = edits_of({to_erase(node_)});
    if (!edits) return false;
    const Node& parent = *node_.parent();
    const Node& root = changed(arena_, *document_.root, node_, nullptr);
    leads_to(*edits, root);
    check_only_node_changed(*edits,
                            parent.is_mapping() ? node_.key()->span.begin : node_.span.begin);
    return true;
  }

  /// Erased together with one that comes later in the document.
  bool erased_with(const Node& other) {
    const auto edits = edits_of({to_erase(other), to_erase(node_)});
    if (!edits) return false;
    const bool inside = is_within(other, node_);
    const Node& root = inside ? *document_.root : changed(arena_, *document_.root, other, nullptr);
    leads_to(*edits, changed(arena_, root, node_, nullptr));
    return true;
  }

  bool set_to(const Node& value) {
    const auto edits = edits_of({to_set(node_, value)});
    if (!edits) return false;
    leads_to(*edits, changed(arena_, *document_.root, node_, &value));
    if (node_.parent() != nullptr) {
      check_only_node_changed(*edits,
                              node_.key() != nullptr ? node_.key()->span.end : node_.span.begin);
    }
    return true;
  }

  bool added(const Node& value) {
    const bool list = node_.is_sequence();
    const auto edits =
        edits_of({list ? to_add_item(node_, value) : to_add_entry(node_, "new key", value)});
    if (!edits) return false;
    const Node& more = list ? with_item(arena_, node_, value) : with_new_entry(value);
    leads_to(*edits, changed(arena_, *document_.root, node_, &more));
    for (const Edit& edit : *edits) {
      if (node_.is_empty()) continue;  // becomes another value
      CHECK(edit.where.begin == edit.where.end);
      CHECK(edit.where.begin > node_.span.begin);
    }
    return true;
  }

  /// Moves the node to a mapping, or below new mappings in it.
  bool moved_to(const Node& mapping, const std::vector<std::string>& parents) {
    std::string pointer;
    for (const std::string& key : parents) pointer += "/" + pointer_step(key);
    pointer += "/" + pointer_step(node_.key()->text());
    const auto edits = edits_of({to_move(node_, mapping, pointer)});
    if (!edits) return false;
    std::vector<std::string> keys = parents;
    keys.emplace_back(node_.key()->text());
    const Node* value = &node_;
    for (std::size_t i = keys.size(); i > 1; --i) {
      value = &mapping_like(arena_, nowhere(), {entry_of(arena_, keys[i - 1], *value)});
    }
    const Texts after(apply(texts_.file.bytes(), *edits));
    CAPTURE(after.file.bytes());
    leads_to(*edits, *relocated(*document_.root, mapping, keys[0], *value));
    CHECK(after.documents[index_].comments.size() == document_.comments.size());
    return true;
  }

 private:
  Result<std::vector<Edit>> edits_of(const std::vector<Change>& changes) const {
    return edits_for(texts_.file, document_, changes);
  }

  /// `at` without the node, and with `value` in the mapping.
  const Node* relocated(const Node& at, const Node& mapping, const std::string& key,
                        const Node& value) {
    if (&at == &node_ || at.anchored() != nullptr || at.is_empty() || at.is_scalar()) {
      return &at == &node_ ? nullptr : &at;
    }
    std::vector<const Node*> items;
    std::vector<Entry> entries;
    for (const Node* item : at.items()) items.push_back(relocated(*item, mapping, key, value));
    for (const Entry& entry : at.entries()) {
      const Node* other = entry.merged ? entry.value : relocated(*entry.value, mapping, key, value);
      entries.emplace_back(*entry.key, *other, entry.merged);
    }
    std::erase_if(entries, [](const Entry& entry) { return entry.value == nullptr; });
    if (&at == &mapping) {
      entries.push_back(entry_of(arena_, key, value));
    }
    mark_overridden(entries);
    return at.is_sequence() ? &sequence_like(arena_, at, items)
                            : &mapping_like(arena_, at, entries);
  }

  const Node& with_new_entry(const Node& value) {
    std::vector<Entry> entries(node_.entries().begin(), node_.entries().end());
    entries.push_back(entry_of(arena_, "new key"_key, value));
    return mapping_like(arena_, node_, entries);
  }

  void leads_to(const std::vector<Edit>& edits, const Node& root) {
    const std::string_view bytes = texts_.file.bytes();
    const Texts after(apply(bytes, edits));
    CAPTURE(after.file.bytes());
    REQUIRE(after.documents.size() == texts_.documents.size());
    for (std::size_t i = 0; i < after.documents.size(); ++i) {
      CHECK(after.documents[i].problems.empty());
      CHECK(same_value(*after.documents[i].root, i == index_ ? root : *texts_.documents[i].root));
    }
    const bool crlf = has(bytes, "\r\n");
    std::string_view rest = after.file.bytes();
    for (std::size_t at = rest.find('\n'); at != std::string_view::npos;
         at = rest.find('\n', at + 1)) {
      if (crlf != (at > 0 && rest[at - 1] == '\r')) FAIL_CHECK("line ends are mixed");
    }
  }

  /// Nothing before the previous sibling and after the next one has changed; the change begins at
  /// `begin` or later, except for a comma, a dash and comments.
  void check_only_node_changed(const std::vector<Edit>& edits, std::uint32_t begin) {
    const std::vector<const Node*> siblings = siblings_of(node_);
    const auto place = std::ranges::find(siblings, &node_);
    REQUIRE(place != siblings.end());
    std::uint32_t earliest =
        node_.parent()->key() != nullptr ? node_.parent()->key()->span.end : document_.span.begin;
    if (place != siblings.begin()) earliest = (*(place - 1))->span.end;
    std::uint32_t latest = document_.span.end;
    if (place + 1 != siblings.end()) {
      const Node& next = **(place + 1);
      latest = next.key() != nullptr ? next.key()->span.begin : next.span.begin;
    }
    CHECK(earliest <= begin);
    for (const Edit& edit : edits) {
      CHECK(edit.where.begin >= earliest);
      CHECK(edit.where.end <= latest);
    }
    check_comments(edits, earliest, latest);
  }

  /// Only comments between the siblings are removed.
  void check_comments(const std::vector<Edit>& edits, std::uint32_t earliest,
                      std::uint32_t latest) {
    const Texts after(apply(texts_.file.bytes(), edits));
    std::size_t kept = 0;
    for (const Comment& comment : document_.comments) {
      if (comment.span.begin < earliest || comment.span.end > latest) ++kept;
    }
    CHECK(after.documents[index_].comments.size() >= kept);
  }

  const Texts& texts_;
  std::size_t index_;
  const Document& document_;
  const Node& node_;
  Arena arena_;
};

std::vector<const Node*> nodes_of(const Document& document) {
  std::vector<const Node*> nodes;
  walk(*document.root, [&](const Node& node) { nodes.push_back(&node); });
  return nodes;
}

const std::vector<std::string>& values() {
  static const std::vector<std::string> kValues = {
      "plain",
      "'a: b # c'",
      "5",
      "null",
      "\"line\\nline\\n\"",
      "\"line\\n\\n  # line\"",
      "{}",
      "[]",
      "{a: {b: [c]}, d: 1}",
      "[v, {w: 1, z: [2]}, [p, [q]], \"l\\nl\\n\"]",
      "'{x}, [z]'",
  };
  return kValues;
}

/// Counts a failed edit and prints it if CNSCHED_PRINT_FAILED is set.
void record_failure(bool done, const Document& document, const Node& node, const std::string& what,
                    int& failed) {
  if (done) return;
  ++failed;
  if (std::getenv("CNSCHED_PRINT_FAILED") == nullptr) return;
  fmt::print("  {} {}\n", what, pointer_to(node, *document.root));
}

TEST_CASE("every edit of an unusual document is exact or fails") {
  for (const Unusual& unusual : unusual_texts()) {
    CAPTURE(unusual.name);
    if (std::getenv("CNSCHED_PRINT_FAILED") != nullptr) fmt::print("{}\n", unusual.name);
    const Texts texts(unusual.text);
    REQUIRE_FALSE(texts.documents.empty());
    int failed = 0;
    for (std::size_t i = 0; i < texts.documents.size(); ++i) {
      const Document& document = texts.documents[i];
      if (!document.problems.empty()) FAIL(document.problems.front().message);
      for (const Node* node : nodes_of(document)) {
        CAPTURE(pointer_to(*node, *document.root));
        record_failure(Check(texts, i, *node).erased(), document, *node, "erase", failed);
        for (const std::string& value : values()) {
          CAPTURE(value);
          const Parsed other(value);
          record_failure(Check(texts, i, *node).set_to(other.root()), document, *node, "set",
                         failed);
          if (node->is_scalar()) continue;
          record_failure(Check(texts, i, *node).added(other.root()), document, *node,
                         "add " + value, failed);
        }
      }
    }
    CHECK(failed == unusual.failed);
  }
}

TEST_CASE("every move in an unusual document is exact or fails") {
  for (const Unusual& unusual : unusual_texts()) {
    CAPTURE(unusual.name);
    if (std::getenv("CNSCHED_PRINT_FAILED") != nullptr) fmt::print("{}\n", unusual.name);
    const Texts texts(unusual.text);
    int failed = 0;
    for (std::size_t i = 0; i < texts.documents.size(); ++i) {
      const Document& document = texts.documents[i];
      for (const Node* node : nodes_of(document)) {
        if (node->key() == nullptr) continue;
        CAPTURE(pointer_to(*node, *document.root));
        for (const Node* mapping : nodes_of(document)) {
          if (!mapping->is_mapping() || mapping->is_empty() || is_within(*mapping, *node)) continue;
          if (mapping->under(node->key()->text())) continue;
          const std::string to = pointer_to(*mapping, *document.root);
          CAPTURE(to);
          record_failure(Check(texts, i, *node).moved_to(*mapping, {}), document, *node,
                         "move to " + to, failed);
          record_failure(Check(texts, i, *node).moved_to(*mapping, {"new", "newer"}), document,
                         *node, "move below " + to, failed);
        }
      }
    }
    CHECK(failed == unusual.failed_moves);
  }
}

TEST_CASE("a node that can be erased alone can be erased with others") {
  for (const Unusual& unusual : unusual_texts()) {
    CAPTURE(unusual.name);
    const Texts texts(unusual.text);
    for (std::size_t i = 0; i < texts.documents.size(); ++i) {
      const Document& document = texts.documents[i];
      std::vector<const Node*> nodes = nodes_of(document);
      std::erase_if(nodes, [&](const Node* node) {
        const Change change = to_erase(*node);
        return !edits_for(texts.file, document, {&change, 1});
      });
      for (std::size_t first = 0; first < nodes.size(); ++first) {
        CAPTURE(pointer_to(*nodes[first], *document.root));
        for (std::size_t second = first + 1; second < nodes.size(); ++second) {
          CAPTURE(pointer_to(*nodes[second], *document.root));
          CHECK(Check(texts, i, *nodes[first]).erased_with(*nodes[second]));
        }
      }
    }
  }
}

}  // namespace cnsched::yaml::change_property_test
