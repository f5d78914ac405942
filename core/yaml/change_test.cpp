#include "core/yaml/change.h"
#include "core/yaml/edit_obstacles.h"
#include "core/yaml/split.h"
#include "core/yaml/tree.h"
#include "testdata/support.h"

namespace cnsched::yaml::change_test {

/// The first document of a text, and the node that a JSON Pointer leads to.
struct Subject {
  explicit Subject(const std::string& text)
      : file(0, "test.yaml", text), document(parse(file, split(file).front())) {
    REQUIRE(document.problems.empty());
  }

  const Node& node(std::string_view pointer) const {
    const Node* found = document.root;
    walk(*document.root, [&](const Node& node) {
      if (pointer_to(node, *document.root) == pointer) found = &node;
    });
    REQUIRE(pointer_to(*found, *document.root) == pointer);
    return *found;
  }

  std::string after(const std::vector<Change>& changes) const {
    const auto edits = edits_for(file, document, changes);
    return edits ? apply(file.bytes(), *edits) : "error: " + edits.error().message;
  }

  SourceFile file;
  Document document;
};

std::string erased(const std::string& text, const std::vector<std::string>& pointers) {
  const Subject subject(text);
  std::vector<Change> changes;
  for (const std::string& pointer : pointers) changes.push_back(to_erase(subject.node(pointer)));
  return subject.after(changes);
}

/// The value is given as YAML.
std::string changed(const std::string& text, std::string_view pointer, const std::string& value) {
  const Subject subject(text);
  const Parsed other(value);
  return subject.after({to_set(subject.node(pointer), other.root())});
}

std::string with_entry(const std::string& text, std::string_view pointer, std::string_view key,
                       const std::string& value) {
  const Subject subject(text);
  const Parsed other(value);
  return subject.after({to_add_entry(subject.node(pointer), key, other.root())});
}

std::string with_item(const std::string& text, std::string_view pointer, const std::string& value) {
  const Subject subject(text);
  const Parsed other(value);
  return subject.after({to_add_item(subject.node(pointer), other.root())});
}

std::string moved(const std::string& text, std::string_view from, std::string_view mapping,
                  std::string_view pointer) {
  const Subject subject(text);
  return subject.after({to_move(subject.node(from), subject.node(mapping), pointer)});
}

/// `text` with `other` in the place of `part`, which is in a comment.
std::string with_comment(const std::string& text, std::string_view part, std::string_view other) {
  const Parsed parsed(text);
  const auto begin = static_cast<std::uint32_t>(text.find(part));
  const Span where{0, begin, begin + static_cast<std::uint32_t>(part.size())};
  const std::vector<Change> changes = {to_change_comment(where, other)};
  if (const auto obstacle = EditObstacles(parsed.document).find(changes)) {
    return "obstacle: " + obstacle->message;
  }
  const auto edits = edits_for(parsed.file, parsed.document, changes);
  return edits ? cnsched::apply(text, *edits) : "error: " + edits.error().message;
}

TEST_CASE("an entry is erased with its lines and the comments that belong to it") {
  CHECK(erased("a: 1\nb: 2\nc: 3\n", {"/b"}) == "a: 1\nc: 3\n");
  CHECK(erased("a: 1\n# on b\n# and more\nb: 2  # behind\n# on c\nc: 3\n", {"/b"}) ==
        "a: 1\n# on c\nc: 3\n");
  CHECK(erased("a: 1\n# apart\n\nb:\n  c: d\n  # deeper\n\nc: 3\n", {"/b"}) ==
        "a: 1\n# apart\n\nc: 3\n");
  CHECK(erased("# on the file\na: 1\nb: 2\n", {"/a"}) == "# on the file\nb: 2\n");
  CHECK(erased("s:\n  # on a\n  a: 1\n  b: 2\n", {"/s/a"}) == "s:\n  b: 2\n");
  CHECK(erased("a: 1\nb: 2", {"/b"}) == "a: 1\n");
  CHECK(erased("a: 1\n\nb: 2\n\nc: 3\n", {"/b"}) == "a: 1\n\nc: 3\n");
  CHECK(erased("a: 1\nb: 2\n\nc: 3\n", {"/b"}) == "a: 1\n\nc: 3\n");
  CHECK(erased("a: >+\n  x\n\nb: 2\n\nc: 3\n", {"/b"}) == "a: >+\n  x\n\nc: 3\n");
  CHECK(erased("a: 1\r\nb: |\r\n  x\r\n\r\nc: 3\r\n", {"/b"}) == "a: 1\r\n\r\nc: 3\r\n");
}

TEST_CASE("keeps the dash if the first entry after it is erased") {
  CHECK(erased("- a: 1  # x\n  b: 2\n- c\n", {"/0/a"}) == "- b: 2\n- c\n");
  CHECK(erased("- a: 1\n\n  # on b\n  b: 2\n", {"/0/a"}) == "- # on b\n  b: 2\n");
  CHECK(erased("- - a\n  - b\n", {"/0/0"}) == "- - b\n");
}

TEST_CASE("an item is erased with its dash") {
  CHECK(erased("l:\n- a\n# on b\n- b: 1\n  c: 2\n- d\n", {"/l/1"}) == "l:\n- a\n- d\n");
  CHECK(erased("l:\n  - a\n  -\n    b: 1\n", {"/l/1"}) == "l:\n  - a\n");
}

TEST_CASE("a collection without children becomes {} or []") {
  CHECK(erased("a:  # behind\n  # on b\n  b: 1  # gone\nc: 2\n", {"/a/b"}) ==
        "a: {}  # behind\nc: 2\n");
  CHECK(erased("a:\n- b\n- c", {"/a/0", "/a/1"}) == "a: []\n");
  CHECK(erased("- a: 1  # x\n- b\n", {"/0/a"}) == "- {}\n- b\n");
  CHECK(erased("# top\na: 1\n", {"/a"}) == "# top\n{}\n");
  CHECK(erased("a: {b: 1 }\n", {"/a/b"}) == "a: {}\n");
  CHECK(erased("- a: 1\r\n- b\r\n", {"/0/a"}) == "- {}\r\n- b\r\n");
}

TEST_CASE("erases an entry in flow style with its comma") {
  CHECK(erased("a: {b: 1, c: 2, d: 3}\n", {"/a/b"}) == "a: {c: 2, d: 3}\n");
  CHECK(erased("a: {b: 1, c: 2, d: 3}\n", {"/a/c"}) == "a: {b: 1, d: 3}\n");
  CHECK(erased("a: {b: 1, c: 2, d: 3}\n", {"/a/c", "/a/d"}) == "a: {b: 1}\n");
  CHECK(erased("a: [x, y,]\n", {"/a/1"}) == "a: [x,]\n");
  CHECK(erased("{\n  \"a\": 1,\n  \"b\": 2\n}\n", {"/a"}) == "{\n  \"b\": 2\n}\n");
  CHECK(erased("{\n  \"a\": 1,\n  \"b\": 2\n}\n", {"/b"}) == "{\n  \"a\": 1\n}\n");
  CHECK(erased("a: [\n  x, # on x\n  y # on y\n]\n", {"/a/1"}) == "a: [\n  x # on x\n]\n");
}

TEST_CASE("erases several nodes at once") {
  CHECK(erased("a:\n- b: 1\n  c: 2\n  d: 3\n- e\n", {"/a/0/b", "/a/0/c", "/a/1"}) ==
        "a:\n- d: 3\n");
  CHECK(erased("a: [1, 2, 3, 4]\n", {"/a/0", "/a/2", "/a/3"}) == "a: [2]\n");
  CHECK(erased("a:\n  b: 1\nc: 2\n", {"/a/b", "/a"}) == "c: 2\n");
}

TEST_CASE("replaces a value in its place") {
  CHECK(changed("a: 1  # why\nb: 2\n", "/a", "x y") == "a: x y  # why\nb: 2\n");
  CHECK(changed("a: !!str 1\n", "/a", "2") == "a: 2\n");
  CHECK(changed("a:  # why\nb: 2\n", "/a", "2") == "a: 2  # why\nb: 2\n");
  CHECK(changed("a: |  # why\n  x\n  y\nb: 2\n", "/a", "2") == "a: 2  # why\nb: 2\n");
  CHECK(changed("a: |#why\n  x\nb: 2\n", "/a", "2") == "a: 2  #why\nb: 2\n");
  CHECK(changed("a:  # why\n  b: 1\n  c: 2\nd: 3\n", "/a", "2") == "a: 2  # why\nd: 3\n");
  CHECK(changed("- a: 1\n  b: 2\n- c\n", "/0", "x") == "- x\n- c\n");
  CHECK(changed("a: {b: 1}\n", "/a/b", "x,y") == "a: {b: \"x,y\"}\n");
}

TEST_CASE("a string keeps the quotes of the old one") {
  CHECK(changed("a: \"b\"  # why\n", "/a", "c d") == "a: \"c d\"  # why\n");
  CHECK(changed("- 'b'\n", "/0", "c") == "- 'c'\n");
  CHECK(changed("- 'b'\n", "/0", "it's") == "- \"it's\"\n");
  CHECK(changed("a: \"true\"\n", "/a", "c") == "a: c\n");
  CHECK(changed("a: \"b\"\n", "/a", "2") == "a: 2\n");
  CHECK(changed("a: &x \"b\"\n", "/a", "c") == "a: \"c\"\n");
}

TEST_CASE("a mapping, a list or a text is written below its key") {
  CHECK(changed("s:\n  a: 1  # why\n  b: 2\n", "/s/a", "{c: [d, {e: f}]}") ==
        "s:\n  a:  # why\n    c:\n    - d\n    - e: f\n  b: 2\n");
  CHECK(changed("s:\r\n  a:\r\n", "/s/a", "[v, w]") == "s:\r\n  a:\r\n  - v\r\n  - w\r\n");
  CHECK(changed("a: 1  # why\nb: 2", "/b", "\"x\\ny\\n\"") == "a: 1  # why\nb: |\n  x\n  y\n");
  CHECK(changed("a:\n    b: 1\nc: 2\n", "/c", "{d: 1}") == "a:\n    b: 1\nc:\n    d: 1\n");
  CHECK(changed("a:\n  - b\nc: {}\n", "/c", "[d]") == "a:\n  - b\nc:\n  - d\n");
  CHECK(changed("- a  # why\n- b\n", "/0", "{c: 1, d: 2}") == "- c: 1  # why\n  d: 2\n- b\n");
  CHECK(changed("? a\n: b\t# why\n", "/a", "[c]") == "? a\n:  # why\n- c\n");
  CHECK(changed("{\n  \"a\": 1\n}\n", "/a", "{b: [c]}") ==
        "{\n  \"a\": {\n    \"b\": [\n      \"c\"\n    ]\n  }\n}\n");
}

TEST_CASE("JSON keeps its indentation with tabs") {
  CHECK(changed("{\n\t\"a\": 1\n}\n", "/a", "{b: 1}") == "{\n\t\"a\": {\n\t  \"b\": 1\n\t}\n}\n");
}

TEST_CASE("renames an entry") {
  const auto renamed = [](const std::string& text, std::string_view pointer, std::string_view key) {
    const Subject subject(text);
    return subject.after({to_rename(subject.node(pointer), key)});
  };
  CHECK(renamed("a: 1  # x\n'b':\n- c\n", "/b", "d.e/f") == "a: 1  # x\nd.e/f:\n- c\n");
  CHECK(renamed("on: 1\n", "/on", "on") == "\"on\": 1\n");
  CHECK(renamed("a: 1\n", "/a", "yes") == "\"yes\": 1\n");
  CHECK(renamed("{\"a\":1}", "/a", "b") == "{\"b\":1}");
  CHECK(renamed("a: {b: 1}\n", "/a/b", "c,d") == "a: {\"c,d\": 1}\n");
  CHECK(renamed("a: 1\nb: 2\n", "/a", "b") == "error: the mapping has an entry 'b'");
  CHECK(renamed("- a\n", "/0", "b").starts_with("error: "));
  CHECK(renamed("a: &x {b: 1}\nc: *x\n", "/a/b", "d").starts_with("error: "));
}

TEST_CASE("placeholders of templates are replaced and erased") {
  const std::string text =
      "a: ${{ x }}  # why\n${{ k }}: ${{ v }}\nl:\n# on it\n- ${{ i }}\n- \"${{ j }}-k\"\n";
  CHECK(changed(text, "/a", "[1]").starts_with("a:  # why\n- 1\n${{ k }}"));
  CHECK(erased(text, {"/l/0"}).ends_with("l:\n- \"${{ j }}-k\"\n"));
}

TEST_CASE("an entry is added at the end of a mapping, in its style") {
  CHECK(with_entry("a:\n    b: 1\n    # c: 2\n# on d\nd: 3\n", "/a", "e", "x") ==
        "a:\n    b: 1\n    # c: 2\n    e: x\n# on d\nd: 3\n");
  CHECK(with_entry("- a: 1\n- b: 2\n", "/0", "c", "[x]") == "- a: 1\n  c:\n  - x\n- b: 2\n");
  CHECK(with_entry("a: 1", "", "b", "2") == "a: 1\nb: 2");
  CHECK(with_entry("a: {b: 1}  # c\n", "/a", "c", "{d: [e]}") == "a: {b: 1, c: {d: [e]}}  # c\n");
  CHECK(with_entry("a: {}\n", "/a", "b", "1") == "a:\n  b: 1\n");
  CHECK(with_entry("a:\n", "/a", "b", "1") == "a:\n  b: 1\n");
  CHECK(with_entry("{\n  \"a\": 1\n}\n", "", "b", "x") == "{\n  \"a\": 1,\n  \"b\": \"x\"\n}\n");
  CHECK(with_entry("a: 1\n", "", "a", "x").starts_with("error: "));
}

TEST_CASE("several entries are added to a mapping that has none") {
  const Subject subject("a: {}  # why\nb: 1\n");
  const Parsed value("x");
  const std::vector<Change> changes = {to_add_entry(subject.node("/a"), "c", value.root()),
                                       to_add_entry(subject.node("/a"), "d", value.root())};
  CHECK(subject.after(changes) == "a:  # why\n  c: x\n  d: x\nb: 1\n");
}

TEST_CASE("several items are added to a list that has none") {
  const Subject subject("a: []\n");
  const Parsed value("x");
  CHECK(subject.after({to_add_item(subject.node("/a"), value.root()),
                       to_add_item(subject.node("/a"), subject.node("/a"))}) == "a:\n- x\n- []\n");
}

TEST_CASE("rejects a change of the wrong kind of node") {
  const Parsed value("x");
  const Subject subject("a: []\nb: {}\nc: x\n");
  CHECK(subject.after({to_erase(subject.node(""))}) ==
        "error: the root of a document cannot be removed");
  CHECK(subject.after({to_add_entry(subject.node("/a"), "k", value.root())}) ==
        "error: only a mapping has entries");
  CHECK(subject.after({to_add_item(subject.node("/b"), value.root())}) ==
        "error: only a list has items");
  CHECK(subject.after({to_add_item(subject.node("/c"), value.root())}) ==
        "error: only a list has items");
}

TEST_CASE("an item is added at the end of a list, in its style") {
  CHECK(with_item("a:\n- b\n# on c\nc: 1\n", "/a", "{d: 1, e: 2}") ==
        "a:\n- b\n- d: 1\n  e: 2\n# on c\nc: 1\n");
  CHECK(with_item("a:\n  - b  # why\nc: 1\n", "/a", "x") == "a:\n  - b  # why\n  - x\nc: 1\n");
  CHECK(with_item("a: [b]\n", "/a", "x") == "a: [b, x]\n");
  CHECK(with_item("a: []\n", "/a", "x") == "a:\n- x\n");
  CHECK(with_item("{\"a\": [\"b\"]}\n", "/a", "x") == "{\"a\": [\"b\", \"x\"]}\n");
}

TEST_CASE("an entry moves with its lines and comments, further in or out") {
  CHECK(moved("p:\n  m:\n    a: 1\n    # on s\n    s:  # behind s\n      x: 'y'  # on x\n"
              "      # below\n    b: 2\n  n: 3\n# foot\n",
              "/p/m/s", "/p", "/s") ==
        "p:\n  m:\n    a: 1\n    b: 2\n  n: 3\n  # on s\n  s:  # behind s\n    x: 'y'  # on x\n"
        "    # below\n# foot\n");
  CHECK(moved("p:\n  m:\n    a: 1\ns:\n- x: |\n    one\n\n     two\n- y\n", "/s", "/p", "/m/s") ==
        "p:\n  m:\n    a: 1\n    s:\n    - x: |\n        one\n\n         two\n    - y\n");
  CHECK(moved("l:\n- s: 1\n  p:\n    a: 2\n- c\n", "/l/0/s", "/l/0", "/p/s") ==
        "l:\n- p:\n    a: 2\n    s: 1\n- c\n");
  CHECK(moved("p:\r\n  m:\r\n    a: 1\r\n    s:\r\n      x: y\r\n", "/p/m/s", "/p", "/s") ==
        "p:\r\n  m:\r\n    a: 1\r\n  s:\r\n    x: y\r\n");
  CHECK(moved("p:\n  m:\n    a: 1\n    s: 2", "/p/m/s", "/p", "/s") ==
        "p:\n  m:\n    a: 1\n  s: 2");
  CHECK(moved("p:\n  m:\n    a: 1\n\n    s: 2\n\nq: 3\n", "/p/m/s", "/p", "/s") ==
        "p:\n  m:\n    a: 1\n\n  s: 2\nq: 3\n");
}

TEST_CASE("creates missing mappings on the path of a moved entry") {
  CHECK(moved("p:\n  # why\n  s:\n  - x\n  m: 1\n", "/p/s", "/p", "/a/b/s") ==
        "p:\n  m: 1\n  a:\n    b:\n      # why\n      s:\n      - x\n");
  CHECK(moved("spec:  # here\np:\n  a: 1  # on a\n", "/p", "", "/spec/p") ==
        "spec:  # here\n  p:\n    a: 1  # on a\n");
  CHECK(moved("p:  # on p\n  # on s\n  s: 1\n", "/p/s", "/p", "/a/s") ==
        "p:  # on p\n  a:\n    # on s\n    s: 1\n");
  CHECK(moved("p: {s: [x]}\n", "/p/s", "/p", "/a/s") == "p: {a: {s: [x]}}\n");
  CHECK(moved("p: {s: {a: x}}\n", "/p/s", "/p", "") == "p: {a: x}\n");
  CHECK(moved("spec: {}\np:\n  a: 1\n", "/p", "", "/spec/p") == "spec:\n  p:\n    a: 1\n");
  CHECK(moved("p: {m: {a: 1, s: [x]}}\n", "/p/m/s", "/p", "/r/s") ==
        "p: {m: {a: 1}, r: {s: [x]}}\n");
}

TEST_CASE("a moved entry is merged into an existing one") {
  const std::string there = "p:\n  s:\n    x: 1\n    y: {z: 2}\n";
  CHECK(moved(there + "q:\n  a: 1\n  # why\n  s:  # so\n    # on w\n    w: 3\n    x: 1\n", "/q/s",
              "/p", "/s") == there + "    # why\n    # so\n    # on w\n    w: 3\nq:\n  a: 1\n");
  CHECK(moved(there + "s:\n  y: {v: 3}\n", "/s", "/p", "/s") ==
        "p:\n  s:\n    x: 1\n    y: {z: 2, v: 3}\n");
  CHECK(moved("l:\n  - a: 1\n  - b\np:\n  l:\n  - a: 1\n  - c  # on c\n", "/p/l", "", "/l") ==
        "l:\n  - a: 1\n  - b\n  - c  # on c\np: {}\n");
  CHECK(moved("t:\n  # on s\n  s:\n    a: 1\n    # on b\n    b:\n    - 2\n", "/t/s", "", "/t") ==
        "t:\n  # on s\n  a: 1\n  # on b\n  b:\n  - 2\n");
  CHECK(moved(there + "s:\n  x: 2\n", "/s", "/p", "/s").starts_with("error: "));
  CHECK(moved(there + "s:\n  w: 3\n  x: 1  # lost\n", "/s", "/p", "/s").starts_with("error: "));
}

TEST_CASE("an entry in JSON keeps its text when it moves") {
  CHECK(moved("{\n  \"p\": {\n    \"m\": {\n      \"a\": 1,\n      \"s\": {\n        \"x\": 2\n"
              "      }\n    }\n  }\n}\n",
              "/p/m/s", "/p", "/s") ==
        "{\n  \"p\": {\n    \"m\": {\n      \"a\": 1\n    },\n    \"s\": {\n      \"x\": 2\n    }\n"
        "  }\n}\n");
  CHECK(moved("p:\n  m: {a: 1, 's': [x, \"y\"]}\n", "/p/m/s", "/p", "/s") ==
        "p:\n  m: {a: 1}\n  's': [x, \"y\"]\n");
  CHECK(moved("p: {m: 1}\ns:\n- x\n- w: z\n", "/s", "/p", "/s") == "p: {m: 1, s: [x, {w: z}]}\n");
  CHECK(moved("p: {m: 1}\n# on s\ns: 2\n", "/s", "/p", "/s").starts_with("error: "));
}

TEST_CASE("rejects an edit of a value that an alias repeats") {
  const std::string text = "a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n";
  for (const char* pointer : {"/a", "/a/b"}) {
    CHECK(erased(text, {pointer})
              .ends_with("is repeated by an alias: an edit would change both places"));
    CHECK(changed(text, pointer, "1").starts_with("error: "));
  }
  CHECK(with_entry(text, "/c", "y", "1").starts_with("error: "));
  CHECK(moved(text, "/a/b", "", "/y").starts_with("error: "));
  CHECK(moved(text, "/d/e", "", "/c/e").starts_with("error: "));
  CHECK(erased(text, {"/c"}) == "a: &x {b: 1}\nd:\n  <<: *x\n  e: 2\n");
  CHECK(erased(text, {"/d/e"}) == "a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n");
  CHECK(with_entry(text, "/d", "z", "1") == "a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n  z: 1\n");
}

TEST_CASE("changes a part of a comment and nothing else") {
  CHECK(with_comment("a: 1  # one, two\nb: 2\n", ", two", "") == "a: 1  # one\nb: 2\n");
  CHECK(with_comment("# one\r\na: 1\r\n", "one", "two") == "# two\r\na: 1\r\n");
}

TEST_CASE("removes a comment with the blanks before it, or with its line") {
  CHECK(with_comment("a: 1  # one\nb: 2\n", "  # one", "") == "a: 1\nb: 2\n");
  CHECK(with_comment("a:\n  # one\n  b: 2\n", "  # one\n", "") == "a:\n  b: 2\n");
  CHECK(with_comment("a: 1\n# one", "# one", "") == "a: 1\n");
}

TEST_CASE("rejects a comment edit outside a comment, or that changes the tree") {
  CHECK(with_comment("a: 1  # one\nb: 2\n", "b: 2", "") == "obstacle: there is no comment");
  CHECK(with_comment("a: '# one'\n", "# one", "") == "obstacle: there is no comment");
  CHECK(with_comment("a: 1  # one\nb: 2\n", "# one\nb: 2", "").starts_with("error: "));
  CHECK(with_comment("a: 1  # one\nb: 2\n", "# one", "c: 3\nd: 4").starts_with("error: "));
}

TEST_CASE("a comment changes together with its entry") {
  const Parsed parsed("a: 1  # one\nb: 2\n");
  const std::vector<Change> changes = {to_change_comment({0, 8, 11}, "two"),
                                       to_rename(parsed.root().under("a"), "c")};
  const auto edits = edits_for(parsed.file, parsed.document, changes);
  REQUIRE(edits);
  CHECK(apply(parsed.file.bytes(), *edits) == "c: 1  # two\nb: 2\n");
}

}  // namespace cnsched::yaml::change_test
