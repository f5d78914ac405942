#include "core/k8s/schema/reader.h"
#include "testdata/support.h"

namespace cnsched::k8s::schema::reader_test {

/// A table and its reader.
struct Read {
  explicit Read(std::string text, Project owner = Project::without_release)
      : Read(std::move(text), owner, Project::without_release, {}) {}
  Read(std::string text, Project owner, Project project, std::optional<Version> release)
      : table(std::move(text)), reader(project, release) {
    reader.add(table, owner);
    reader.finish();
  }

  const Type& type(std::string_view name) const {
    REQUIRE(reader.type(name) != nullptr);
    return *reader.type(name);
  }
  const Field& field(std::string_view of, std::string_view name) const {
    REQUIRE(type(of).find(name) != nullptr);
    return *type(of).find(name);
  }

  std::string table;
  Reader reader;
};

/// The only field of a table of one row.
struct Row {
  explicit Row(const std::string& row) : read("T\n  " + row + "\n") {}
  const Field& field() const { return read.type("T").fields().at(0); }

  Read read;
};

std::string names_of(const Type& type) { return joined(type.fields(), &Field::name); }

TEST_CASE("a type has the fields of its rows, sorted by name") {
  const Read read("Taint\n  value  string\n  key*   string\n  effect string\n");
  CHECK(names_of(read.type("Taint")) == "effect key value");
  CHECK(read.type("Taint").form == Form::object);
  CHECK(read.type("Taint").name == "Taint");
  CHECK_FALSE(read.type("Taint").open);
  CHECK(read.type("Taint").find("values") == nullptr);
  CHECK(read.type("Taint").find("") == nullptr);
  CHECK(read.reader.type("taint") == nullptr);
}

TEST_CASE("a star makes a field required and is not part of its name") {
  const Read read("Taint\n  key*   string\n  value  string\n");
  CHECK(read.field("Taint", "key").required);
  CHECK_FALSE(read.field("Taint", "value").required);
}

TEST_CASE("ignores comments and empty lines") {
  const Read read("# a table\n\nTaint\n# of its key\n  key  string\n\n   \n  value  string\n");
  CHECK(names_of(read.type("Taint")) == "key value");
}

TEST_CASE("each simple type is of its form") {
  CHECK(Row("a any").field().type->form == Form::any);
  CHECK(Row("a string").field().type->form == Form::string);
  CHECK(Row("a bool").field().type->form == Form::boolean);
  CHECK(Row("a int").field().type->form == Form::integer);
  CHECK(Row("a int32").field().type->form == Form::integer);
  CHECK(Row("a int64").field().type->form == Form::integer);
  CHECK(Row("a quantity").field().type->form == Form::quantity);
  CHECK(Row("a int-or-string").field().type->form == Form::int_or_string);
  CHECK(Row("a time").field().type->form == Form::time);
}

TEST_CASE("an int32 holds 32 bits, other integers hold 64") {
  const Row narrow("a int32");
  CHECK(narrow.field().type->width.contains(2147483647));
  CHECK_FALSE(narrow.field().type->width.contains(2147483648));
  CHECK(narrow.field().type->width.contains(-2147483648));
  CHECK_FALSE(narrow.field().type->width.contains(-2147483649));
  CHECK(Row("a int64").field().type->width.contains(INT64_MAX));
  CHECK(Row("a int64").field().type->width.contains(INT64_MIN));
  CHECK(Row("a int").field().type->width.contains(INT64_MAX));
}

TEST_CASE("lists and maps contain values of a type") {
  const Row list("a [string]");
  CHECK(list.field().type->form == Form::list);
  CHECK(list.field().type->element->form == Form::string);
  const Row map("a map[quantity]");
  CHECK(map.field().type->form == Form::map);
  CHECK(map.field().type->element->form == Form::quantity);
  const Row lists("a [[int32]]");
  CHECK(lists.field().type->element->form == Form::list);
  CHECK(lists.field().type->element->element->form == Form::integer);
  const Row maps("a map[map[string]]");
  CHECK(maps.field().type->element->form == Form::map);
  CHECK(maps.field().type->element->element->form == Form::string);
  const Row list_of_maps("a [map[bool]]");
  CHECK(list_of_maps.field().type->form == Form::list);
  CHECK(list_of_maps.field().type->element->form == Form::map);
  CHECK(list_of_maps.field().type->element->element->form == Form::boolean);
}

TEST_CASE("braces describe an object without a name") {
  const Row row("a {uri: string, mountPath: [string]}");
  const Type& type = *row.field().type;
  CHECK(type.form == Form::object);
  CHECK(type.name.empty());
  CHECK(names_of(type) == "mountPath uri");
  CHECK(type.find("mountPath")->type->form == Form::list);
  CHECK(type.find("uri")->type->form == Form::string);
  CHECK_FALSE(type.find("uri")->required);
}

TEST_CASE("a star makes a field in braces required") {
  const Row row("a [{mountPath: string, uri*: string}]");
  CHECK(row.field().type->element->find("uri")->required);
  CHECK_FALSE(row.field().type->element->find("mountPath")->required);
  CHECK_FALSE(row.field().required);
}

TEST_CASE("constraints of a list of braces follow it") {
  const Row row("a [{mountPath: string, uri: string}] min-items 1");
  CHECK(names_of(*row.field().type->element) == "mountPath uri");
  CHECK(row.field().items.least == 1);
}

TEST_CASE("a type may be used before its definition and by itself") {
  const Read read("Unit\n  child    Unit\n  leaves   [Leaf]\nLeaf\n  name  string\n");
  CHECK(read.field("Unit", "child").type == &read.type("Unit"));
  CHECK(read.field("Unit", "leaves").type->element == &read.type("Leaf"));
}

TEST_CASE("a type may be in another table") {
  Reader reader;
  reader.add("kind example.com/v1 Late = Object\n  spec  Shared\n", Project::kserve);
  reader.add("Object\n  kind  string\nShared\n  name  string\n", Project::kubernetes);
  reader.finish();
  const Type* late = reader.kind("example.com/v1", "Late");
  REQUIRE(late != nullptr);
  CHECK(names_of(*late) == "kind spec");
  CHECK(late->find("spec")->type == reader.type("Shared"));
}

TEST_CASE("each word after the type is a constraint") {
  const Row choice("a string enum Always|Never");
  REQUIRE(choice.field().allowed.size() == 2);
  CHECK(choice.field().allowed[0] == "Always");
  CHECK(choice.field().allowed[1] == "Never");
  CHECK(Row("a string is kind").field().format == "kind");
  CHECK(Row("a string templated").field().templated);
  CHECK(Row("a int min 1").field().range.least == 1);
  CHECK(Row("a int max 65535").field().range.most == 65535);
  CHECK(Row("a int min -1").field().range.least == -1);
  CHECK(Row("a string min-length 1").field().length.least == 1);
  CHECK(Row("a string max-length 253").field().length.most == 253);
  CHECK(Row("a [int] min-items 1").field().items.least == 1);
  CHECK(Row("a [int] max-items 16").field().items.most == 16);
}

TEST_CASE("an enum may be empty [P67]") {
  const Row row("a string enum |File");
  REQUIRE(row.field().allowed.size() == 2);
  CHECK(row.field().allowed[0].empty());
  CHECK(row.field().allowed[1] == "File");
}

TEST_CASE("each word for keys decides who rejects duplicates") {
  CHECK(Row("a [any] keys name").field().uniqueness == Uniqueness::rejected);
  CHECK(Row("a [any] merge-keys name").field().uniqueness == Uniqueness::rejected_if_custom);
  CHECK(Row("a [any] pod-keys name").field().uniqueness == Uniqueness::rejected_in_pod);
  const Row two("a [any] merge-keys containerPort|protocol");
  REQUIRE(two.field().keys.size() == 2);
  CHECK(two.field().keys[0] == "containerPort");
  CHECK(two.field().keys[1] == "protocol");
}

TEST_CASE("a row may have several constraints") {
  const Row row("a [string] min-items 1 max-items 8 keys name");
  CHECK(row.field().items.least == 1);
  CHECK(row.field().items.most == 8);
  CHECK(row.field().uniqueness == Uniqueness::rejected);
  CHECK(row.field().range.contains(INT64_MIN));
  CHECK(row.field().length.contains(INT64_MAX));
  CHECK(row.field().allowed.empty());
  CHECK(row.field().format.empty());
  CHECK_FALSE(row.field().templated);
  CHECK(Row("a string").field().uniqueness == Uniqueness::none);
}

TEST_CASE("a type has its base's fields, which its own override") {
  const Read read(
      "Pod\n  hostIPC  bool\n  name*  string\n"
      "Worker = Pod\n  name  int\n  size  int\n");
  CHECK(names_of(read.type("Worker")) == "hostIPC name size");
  CHECK(read.field("Worker", "name").type->form == Form::integer);
  CHECK_FALSE(read.field("Worker", "name").required);
  CHECK(names_of(read.type("Pod")) == "hostIPC name");
  CHECK(read.field("Pod", "name").type->form == Form::string);
}

TEST_CASE("a type may omit fields of its base") {
  const Read read("Pod\n  a  bool\n  b  bool\n  c  bool\nWorker = Pod - a c\n  d  bool\n");
  CHECK(names_of(read.type("Worker")) == "b d");
  CHECK(names_of(read.type("Pod")) == "a b c");
}

TEST_CASE("a base may have a base and follow its users") {
  const Read read(
      "Third = Second - b\n  d  bool\n"
      "Second = First - a\n  c  bool\n"
      "First\n  a  bool\n  b  bool\n");
  CHECK(names_of(read.type("First")) == "a b");
  CHECK(names_of(read.type("Second")) == "b c");
  CHECK(names_of(read.type("Third")) == "c d");
}

TEST_CASE("an open type may have unlisted fields, types based on it may not") {
  const Read read("Config open\n  data  any\nNarrow = Config\n  b  any\nWide = Config open\n");
  CHECK(read.type("Config").open);
  CHECK_FALSE(read.type("Narrow").open);
  CHECK(read.type("Wide").open);
  CHECK(names_of(read.type("Wide")) == "data");
}

TEST_CASE("a kind is found by version and name and is not a type") {
  const Read read("Object\n  kind  string\nkind apps/v1 Deployment = Object\n  spec*  any\n");
  const Type* kind = read.reader.kind("apps/v1", "Deployment");
  REQUIRE(kind != nullptr);
  CHECK(kind->name == "Deployment");
  CHECK(names_of(*kind) == "kind spec");
  CHECK(read.reader.kind("apps/v1beta1", "Deployment") == nullptr);
  CHECK(read.reader.kind("apps", "Deployment") == nullptr);
  CHECK(read.reader.kind("", "Deployment") == nullptr);
  CHECK(read.reader.kind("apps/v1", "deployment") == nullptr);
  CHECK(read.reader.type("Deployment") == nullptr);
}

TEST_CASE("a kind may have other fields in another version") {
  const Read read(
      "Old\n  a  any\nkind x.io/v1 Kind\n  spec  any\nkind x.io/v2 Kind = Old\n  spec  any\n");
  CHECK(names_of(*read.reader.kind("x.io/v1", "Kind")) == "spec");
  CHECK(names_of(*read.reader.kind("x.io/v2", "Kind")) == "a spec");
}

TEST_CASE("only rows of Kubernetes' own tables are pod validation") {
  Reader reader;
  reader.add("Container\n  image   string\n  policy  string enum Always|Never\n",
             Project::kubernetes);
  reader.add("Predictor = Container\n  image  string enum a|b\n", Project::kserve);
  reader.finish();
  CHECK(reader.type("Container")->find("image")->is_pod_validation);
  CHECK(reader.type("Predictor")->find("policy")->is_pod_validation);
  CHECK_FALSE(reader.type("Predictor")->find("image")->is_pod_validation);
}

TEST_CASE("a mistake in a table throws") {
  for (const std::string table : {
           "  key  string\n",   // a row without a type
           "T\n  key\n",        // no type
           "T\n  key  text\n",  // an unknown type
           "T\n  key  String\n",
           "T\n  key  [text]\n",
           "T\n  key  map[text]\n",
           "T\n  key  [string\n",  // unmatched brackets
           "T\n  key  [string]]\n",
           "T\n  key  [string}\n",
           "T\n  key  [stringx\n",
           "T\n  key  [\n",
           "T\n  key  []\n",
           "T\n  key  map[\n",
           "T\n  key  map[]\n",
           "T\n  key  {\n",
           "T\n  key  {}\n",
           "T\n  key  {a}\n",  // a field without a type
           "T\n  key  {a: }\n",
           "T\n  key  {a: text}\n",
           "T\n  key  string enumm a|b\n",  // unknown words
           "T\n  key  string required\n",
           "T\n  key  string 1\n",
           "T closed\n",
           "T = B C\nB\nC\n",
           "T\n  key  string enum\n",  // words without an argument
           "T\n  key  string is\n",
           "T\n  key  [any] keys\n",
           "T\n  key  [any] merge-keys\n",
           "T\n  key  [any] pod-keys\n",
           "T\n  key  int min\n",
           "T\n  key  int min one\n",  // not numbers
           "T\n  key  int max 1.5\n",
           "T\n  key  int max +1\n",
           "T\n  key  int max 10k\n",
           "T\n  key  string min-length -\n",
           "T\n  key  string max-length x\n",
           "T\n  key  [int] min-items x\n",
           "T\n  key  [int] max-items 99999999999999999999\n",
           "T\nT\n",  // duplicates
           "kind v1 T\nkind v1 T\n",
           "T\n  a  any\n  a  string\n",
           "T\n  a  any\n  a*  any\n",
           "T\n  key  {a: any, a: any}\n",
           "T = Nothing\n",  // no such base
           "T =\n",
           "kind v1 K = K\n",  // a kind is not a type
           "T\n  a  K\nkind v1 K\n",
           "kind v1\n",  // no name
           "kind\n",
           "T = B - b\nB\n  a  any\n",  // omits an unknown field
           "T = B - a a\nB\n  a  any\n",
           "T - a\n  a  any\n",  // without a base
           "A = B\nB = A\n",     // a cycle of bases
           "A = A\n",
       }) {
    CAPTURE(table);
    CHECK_THROWS_AS(Read{table}, std::logic_error);
  }
}

/// The names of the fields of T, in one release of KServe.
std::string fields_in(const std::string& rows, std::string_view release) {
  const Read read("T\n" + rows, Project::kubernetes, Project::kserve, Version::parse(release));
  return names_of(read.type("T"));
}

TEST_CASE("rows may be of some releases of a project") {
  CHECK(fields_in("  a  any  in kserve:0.14-\n  b  any\n", "0.13") == "b");
  CHECK(fields_in("  a  any  in kserve:0.14-\n  b  any\n", "0.14.1") == "a b");
  CHECK(fields_in("  a  any  in kserve:-0.9,0.11-0.12\n", "0.8") == "a");
  CHECK(fields_in("  a  any  in kserve:-0.9,0.11-0.12\n", "0.10") == "");
  CHECK(fields_in("  a  any  in kserve:-0.9,0.11-0.12\n", "0.12") == "a");
  CHECK(fields_in("  a  any  in kserve:-0.9,0.11-0.12\n", "0.13") == "");
  CHECK(fields_in("  a  any  in 1.30-|kserve\n", "0.8") == "a");
  CHECK(fields_in("  a  any  in 1.30-\n", "0.20") == "");
  CHECK(fields_in("  a  any  in kserve:0.15\n", "0.15") == "a");
}

TEST_CASE("rows of one name follow each other for different releases") {
  const std::string rows =
      "  n   int32 min 1  in 0.15-\n  n*  int  in 0.9-0.14\n  n   string  in -0.8\n";
  const auto field = [&](std::string_view release) {
    const Read read("T\n" + rows, Project::kserve, Project::kserve, Version::parse(release));
    return read.field("T", "n");
  };
  CHECK(field("0.15").type->name == "int32");
  CHECK(field("0.15").range.least == 1);
  CHECK(field("0.12").required);
  CHECK(field("0.8").type->form == Form::string);
  CHECK_THROWS_AS(Read("T\n  a  any\n  a  int\n"), std::logic_error);
}

TEST_CASE("a derived type replaces all rows of a name") {
  const std::string table =
      "Base\n  a  int  in 0.15-\n  a  string  in -0.14\n  b  any  in 0.15-\n"
      "T = Base\n  a  bool\nWithout = Base - b\n";
  for (const std::string_view release : {"0.14", "0.15"}) {
    const Read read(table, Project::kserve, Project::kserve, Version::parse(release));
    CHECK(read.field("T", "a").type->form == Form::boolean);
    CHECK(names_of(read.type("Without")) == "a");
    CHECK(read.type("Without").find_absent("b") == nullptr);
  }
}

TEST_CASE("a type knows the fields of other releases") {
  const std::string table = "T\n  a  int  in 0.14-|kubernetes\n  b  any  in kubernetes\n  c  any\n";
  const Read read(table, Project::kserve, Project::kserve, Version{0, 13, 0});
  const AbsentField* absent = read.type("T").find_absent("a");
  REQUIRE(absent != nullptr);
  CHECK(absent->releases.words(Project::kserve) == "exists from KServe 0.14 on");
  CHECK(read.type("T").find_absent("b") == nullptr);  // never in KServe
  CHECK(read.type("T").find_absent("c") == nullptr);
  CHECK(read.type("T").project == Project::kserve);
}

TEST_CASE("without a project, each type is as in the newest release of its table's") {
  Reader reader;
  reader.add("Pod\n  a  any  in 1.30-|kserve:0.9-\n  b  any  in kserve\n", Project::kubernetes);
  reader.add("T\n  c  any  in 0.14-\n  d  any  in -0.13\n", Project::kserve);
  reader.finish();
  CHECK(names_of(*reader.type("Pod")) == "a");
  CHECK(names_of(*reader.type("T")) == "c");
}

TEST_CASE("a kind may be of some releases") {
  const std::string table = "kind x.io/v1 Late in 0.16-\n  spec  any\nkind x.io/v1 Old open\n";
  const auto has = [&](std::string_view kind, std::string_view release) {
    const Read read(table, Project::kserve, Project::kserve, Version::parse(release));
    return read.reader.kind("x.io/v1", kind) != nullptr;
  };
  CHECK(has("Late", "0.16"));
  CHECK_FALSE(has("Late", "0.15"));
  CHECK(has("Old", "0.8"));
  const Read read(table, Project::kserve);
  REQUIRE(read.reader.releases_of("x.io/v1", "Late") != nullptr);
  CHECK(read.reader.releases_of("x.io/v1", "Late")->words(Project::kserve) ==
        "exists from KServe 0.16 on");
  CHECK(read.reader.releases_of("x.io/v1", "None") == nullptr);
}

TEST_CASE("rejects invalid releases in tables") {
  for (const std::string_view list : {"0.x", "-", "kserv", "kserve:", "0.1|", ""}) {
    CAPTURE(list);
    CHECK_THROWS_AS(
        Read(fmt::format("T\n  a  any  in {}\n", list), Project::kserve, Project::kserve, {}),
        std::logic_error);
  }
}

}  // namespace cnsched::k8s::schema::reader_test
