#include "core/packages/origin_search.h"
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::packages::origin_search_test {

/// A small engine: it prints the values of `.Values.NAME` of "c/values.yaml", of which each line is
/// "NAME: VALUE", and literals. `| quote` adds quotes. Nothing if a value is missing.
std::optional<std::string> printed(const std::string& text, const std::string& values) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t open = text.find("{{"); open != std::string::npos; open = text.find("{{", at)) {
    result += text.substr(at, open - at);
    const std::size_t end = text.find("}}", open);
    std::string_view expression = trim(std::string_view(text).substr(open + 2, end - open - 2));
    at = end + 2;
    const bool has_quotes = expression.ends_with("| quote");
    if (has_quotes) expression = trim(expression.substr(0, expression.size() - 7));
    std::string value;
    if (expression.starts_with('"')) {
      value = expression.substr(1, expression.size() - 2);
    } else {
      const std::string key = "\n" + std::string(expression.substr(8)) + ": ";
      const std::size_t found = ("\n" + values).find(key);
      if (found == std::string::npos) return std::nullopt;
      value = values.substr(found + key.size() - 1);
      value = value.substr(0, value.find('\n'));
      if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
    }
    result += has_quotes ? '"' + value + '"' : value;
  }
  return result + text.substr(at);
}

/// Renders the template x.yaml of a chart.
std::optional<std::string> helm(const std::map<std::string, std::string>& texts) {
  const auto text = printed(texts.at("c/templates/x.yaml"), texts.at("c/values.yaml"));
  if (!text) return std::nullopt;
  return "---\n# Source: c/templates/x.yaml\n" + *text;
}

/// Prints the resource with the prefix and the patched value of the kustomization; the patch names
/// the resource, as kustomize's do.
std::optional<std::string> kustomize(const std::map<std::string, std::string>& texts) {
  const auto value = [&](const std::string& path, const std::string& key) {
    const std::string& text = texts.at(path);
    const std::size_t at = text.find(key + ": ");
    if (at == std::string::npos) return std::string();
    const std::size_t begin = at + key.size() + 2;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  const std::string name = value("o/m.yaml", "name");
  if (value("o/kustomization.yaml", "patch") != name) return std::nullopt;
  const std::string size = value("o/kustomization.yaml", "size");
  return "kind: Model\nmetadata:\n  name: " + value("o/kustomization.yaml", "namePrefix") + name +
         "\nspec:\n  size: " + (size.empty() ? value("o/m.yaml", "size") : size) +
         "\n  copy: " + value("o/m.yaml", "copy") + "\n  again: " + value("o/m.yaml", "copy") +
         "\n";
}

using Engine = std::function<std::optional<std::string>(const std::map<std::string, std::string>&)>;

class Scene {
 public:
  Scene(Engine engine, std::map<std::string, std::string> texts)
      : engine_(std::move(engine)),
        texts_(std::move(texts)),
        package_{.kind = texts_.contains("c/values.yaml") ? Package::Kind::chart
                                                          : Package::Kind::overlay,
                 .path = texts_.begin()->first.substr(0, 1)},
        file_(0, "x", *engine_(texts_)) {
    for (const auto& [path, text] : texts_) sources_.push_back({path, text});
  }

  Origin origin(const std::string& text, Aspect aspect = Aspect::value,
                std::size_t runs = OriginSearch::kMaxRuns) {
    const std::string_view bytes = file_.bytes();
    const std::size_t comment = bytes.find("Source:");
    const std::size_t at = bytes.find(text, comment == std::string_view::npos ? 0 : comment);
    REQUIRE(at != std::string_view::npos);
    const Span where{0, static_cast<std::uint32_t>(at),
                     static_cast<std::uint32_t>(at + text.size())};
    OriginSearch search(package_, sources_, file_, runs);
    search.ask(where, aspect);
    runs_ = 0;
    while (true) {
      const std::vector<ReplacedTexts> next = search.next();
      if (next.empty()) break;
      std::vector<std::optional<std::string>> results;
      for (const ReplacedTexts& replaced : next) {
        std::map<std::string, std::string> texts = texts_;
        for (const auto& [path, replacement] : replaced) texts[path] = replacement;
        results.push_back(engine_(texts));
      }
      runs_ += next.size();
      search.take(results);
    }
    return search.of(where, aspect);
  }
  /// "values.yaml:1 'text'"; the file alone if that is all.
  std::string place(const std::string& text, Aspect aspect = Aspect::value) {
    const Origin found = origin(text, aspect);
    return found.place.path.empty() ? found.file : words(found.place);
  }
  std::string words(const SourcePlace& place) const {
    const SourceFile file(0, "", texts_.at(place.path));
    return fmt::format("{}:{} '{}'", place.path.substr(2), file.line_of(place.begin),
                       file.text({0, place.begin, place.end}));
  }
  std::size_t runs() const { return runs_; }

 private:
  Engine engine_;
  std::map<std::string, std::string> texts_;
  Package package_;
  SourceFile file_;
  std::vector<PackageSource> sources_;
  std::size_t runs_ = 0;
};

Scene chart(const std::string& text, const std::string& values) {
  return {helm, {{"c/templates/x.yaml", text}, {"c/values.yaml", values}}};
}

Scene overlay(const std::string& kustomization) {
  return {kustomize,
          {{"o/kustomization.yaml", kustomization},
           {"o/m.yaml", "name: m\nsize: 5\ncopy: some text\n"}}};
}

TEST_CASE("literal text is found at its line and column") {
  Scene scene = chart("a: b\nc:\n  d: e\n", "e: e\n");
  CHECK(scene.place("e\n") == "templates/x.yaml:3 'e'");
  CHECK(scene.place("d") == "templates/x.yaml:3 'd'");
  CHECK(scene.origin("d").is_literal);
  CHECK(scene.place("d: e") == "templates/x.yaml:3 'd: e'");
}

TEST_CASE("a value is found in the values file, with the line that prints it") {
  Scene scene = chart("a: {{ .Values.x | quote }}\n", "y: 5\nx: 5\n");
  const Origin origin = scene.origin("\"5\"");
  CHECK(scene.words(origin.place) == "values.yaml:2 '5'");
  CHECK_FALSE(origin.is_literal);
  REQUIRE(origin.notes.size() == 1);
  CHECK(scene.words(origin.notes[0].place) == "templates/x.yaml:1 '{{ .Values.x | quote }}'");
  CHECK(scene.place("\"5\"", Aspect::type) == "templates/x.yaml:1 '{{ .Values.x | quote }}'");
}

TEST_CASE("a value that is not written anywhere is the template's") {
  Scene scene = chart("a: x-{{ .Values.x }}\nb: {{ \"left\" }}\n", "x: 5\n");
  CHECK(scene.place("x-5") == "templates/x.yaml:1 'x-{{ .Values.x }}'");
  CHECK(scene.place("left") == "templates/x.yaml:2 '\"left\"'");
}

TEST_CASE("a run that fails is divided") {
  // The engine fails if the key in the values file has another name.
  Scene scene = chart("p: {{ .Values.p }}\nq: {{ .Values.q }}\n", "p: q\nq: p\n");
  CHECK(scene.place("q: p") == "templates/x.yaml:2 'q'");
  CHECK(scene.place("q\n") == "values.yaml:1 'q'");
}

TEST_CASE("the last value decides in an overlay") {
  CHECK(overlay("patch: m\n").place("5") == "m.yaml:2 '5'");
  Scene patched = overlay("patch: m\nsize: 5\n");
  CHECK(patched.place("5") == "kustomization.yaml:2 '5'");
  CHECK(patched.origin("5").is_literal);
}

TEST_CASE("what is printed twice is found, and is not literal") {
  Scene scene = overlay("patch: m\n");
  CHECK(scene.place("some text") == "m.yaml:3 'some text'");
  CHECK_FALSE(scene.origin("some text").is_literal);
}

TEST_CASE("a key of several sources is found in all of them") {
  // Merges the lines of two sources by their keys.
  const Engine merge = [](const std::map<std::string, std::string>& texts) {
    const std::string key = texts.at("o/a.yaml").substr(0, texts.at("o/a.yaml").find(':'));
    const std::string& patch = texts.at("o/b.yaml");
    return "s:\n  " + (patch.starts_with(key + ":") ? "" : key + ": 1\n  ") + patch;
  };
  Scene scene(merge, {{"o/a.yaml", "key: 1\n"}, {"o/b.yaml", "key: 2\n"}});
  const Origin origin = scene.origin("key");
  CHECK(scene.words(origin.place) == "a.yaml:1 'key'");
  CHECK_FALSE(origin.is_literal);
  REQUIRE(origin.notes.size() == 1);
  CHECK(scene.words(origin.notes[0].place) == "b.yaml:1 'key'");
  CHECK(scene.place("2") == "b.yaml:1 '2'");
}

TEST_CASE("of equal keys in one mapping each is found") {
  Scene scene = chart("a: 1\na: 2\n", "");
  CHECK(scene.place("a: 1") == "templates/x.yaml:1 'a: 1'");
  CHECK(scene.place("a: 2") == "templates/x.yaml:2 'a: 2'");
}

TEST_CASE("the part that makes a name invalid is found") {
  CHECK(overlay("namePrefix: A_\npatch: m\n").place("A_m") == "kustomization.yaml:1 'A_'");
  CHECK(overlay("namePrefix: a-\npatch: m\n").place("a-m").empty());
}

TEST_CASE("a name that must be the same elsewhere has no place") {
  CHECK(overlay("patch: m\n").place("m\n").empty());
}

TEST_CASE("the runs are limited") {
  Scene scene = overlay("patch: m\n");
  CHECK(scene.origin("5", Aspect::value, 0).place.path.empty());
  CHECK(scene.runs() == 0);
  // A text that is everywhere, and changes that all fail.
  std::string values;
  for (int i = 0; i < 10'000; ++i) values += "# name\n";
  Scene many({[](const std::map<std::string, std::string>& texts) -> std::optional<std::string> {
               if (texts.at("c/values.yaml").find("namez") != std::string::npos) return {};
               return "---\n# Source: c/templates/x.yaml\na: name\n";
             }},
             {{"c/templates/x.yaml", ""}, {"c/values.yaml", values + "x: name\n"}});
  CHECK(many.place("name").empty());
  CHECK(many.runs() <= OriginSearch::kMaxRuns);
}

}  // namespace cnsched::packages::origin_search_test
