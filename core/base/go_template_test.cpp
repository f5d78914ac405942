#include "core/base/go_template.h"
#include "testdata/support.h"

namespace cnsched::go_template_test {

/// The pieces of a template with their texts: "|text|output…".
std::string pieces_of(std::string_view text) {
  std::string result;
  for (const TemplatePiece& piece : read_go_template(text).pieces) {
    result += '|';
    result += text.substr(piece.begin, piece.end - piece.begin);
  }
  return result;
}

TemplateExpression expression_of(std::string_view action) {
  return read_go_template(action).pieces.at(1).expression;
}

TEST_CASE("a Go template is divided into text and actions") {
  CHECK(pieces_of("") == "|");
  CHECK(pieces_of("a: b\n") == "|a: b\n");
  CHECK(pieces_of("a: {{ .x }}-{{ .y }}\n") == "|a: |{{ .x }}|-|{{ .y }}|\n");
  CHECK(pieces_of("{{ print \"}}\" `}}` '\"' }}x") == "||{{ print \"}}\" `}}` '\"' }}|x");
  CHECK(pieces_of("{{/* }} */}}x") == "||{{/* }} */}}|x");
}

TEST_CASE("the text of a piece lacks what actions trim") {
  const std::string_view text = "a: \n  {{- .x -}}  \n b\n{{ .y }}";
  CHECK(pieces_of(text) == "|a:|{{- .x -}}|b\n|{{ .y }}|");
  const GoTemplate read = read_go_template(text);
  CHECK(read.pieces[0].trims_line_break);
  CHECK(read.pieces[2].trims_before);
  CHECK_FALSE(read.pieces[2].trims_line_break);
  // A minus sign trims only next to a blank: -3 is a number.
  CHECK(pieces_of("a {{-3}} b") == "|a |{{-3}}| b");
}

TEST_CASE("the blocks of a Go template nest") {
  const GoTemplate read = read_go_template(
      "{{ define \"d\" }}{{ range $i, $x := .l }}{{ if $i }}a{{ else }}b{{ end }}{{ end }}{{ end "
      "}}c");
  REQUIRE(read.is_complete);
  REQUIRE(read.blocks.size() == 4);
  CHECK(read.blocks[1].kind == TemplateBlock::Kind::define);
  CHECK(read.blocks[1].name == "d");
  CHECK(read.blocks[2].kind == TemplateBlock::Kind::range);
  CHECK(read.blocks[3].kind == TemplateBlock::Kind::condition);
  CHECK(read.blocks[3].otherwise != TemplateBlock::kNone);
  CHECK(read.definition_of(3) == 1);
  CHECK(read.definition_of(0) == 0);
  CHECK(read.pieces[read.blocks[2].open].variables == std::vector<std::string>{"$i", "$x"});
}

TEST_CASE("nothing is known about a template whose actions do not nest") {
  CHECK_FALSE(read_go_template("{{ end }}").is_complete);
  CHECK_FALSE(read_go_template("{{ else }}").is_complete);
  CHECK_FALSE(read_go_template("{{ if .x }}").is_complete);
  CHECK_FALSE(read_go_template("a {{ .x").is_complete);
  CHECK_FALSE(read_go_template("{{/* }}").is_complete);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{{ if ";
  CHECK_FALSE(read_go_template(deep).is_complete);
  deep.assign(100'000, '(');
  CHECK(read_go_template("{{ " + deep + " }}").is_complete);
}

TEST_CASE("a pipeline is a call of its last function") {
  const TemplateExpression call = expression_of("{{ .Values.a.b | default \"x\\\"y\" | quote }}");
  using Kind = TemplateExpression::Kind;
  CHECK(call.kind == Kind::call);
  CHECK(call.text == "quote");
  REQUIRE(call.arguments.size() == 1);
  const TemplateExpression& with_default = call.arguments[0];
  CHECK(with_default.text == "default");
  REQUIRE(with_default.arguments.size() == 2);
  CHECK(with_default.arguments[0].kind == Kind::string);
  CHECK(with_default.arguments[0].text == "x\"y");
  CHECK(with_default.arguments[1].kind == Kind::dot);
  CHECK(with_default.arguments[1].path == std::vector<std::string>{"Values", "a", "b"});
}

TEST_CASE("operands of Go templates") {
  using Kind = TemplateExpression::Kind;
  CHECK(expression_of("{{ $ }}").text == "$");
  CHECK(expression_of("{{ $x.y }}").text == "$x");
  CHECK(expression_of("{{ $x.y }}").path == std::vector<std::string>{"y"});
  CHECK(expression_of("{{ . }}").kind == Kind::dot);
  CHECK(expression_of("{{ 1.5 }}").text == "1.5");
  CHECK(expression_of("{{ -3 }}").kind == Kind::other_literal);
  CHECK(expression_of("{{ true }}").kind == Kind::other_literal);
  CHECK(expression_of("{{ (index .a 0).b }}").path == std::vector<std::string>{"b"});
  CHECK(expression_of("{{ .a | \"b\" }}").kind == Kind::unknown);
  const GoTemplate set = read_go_template("{{ $x := .a }}{{ $x = .b }}{{ eq $x .c }}");
  CHECK(set.pieces[1].kind == TemplatePiece::Kind::assignment);
  CHECK(set.pieces[3].kind == TemplatePiece::Kind::assignment);
  CHECK(set.pieces[3].variables == std::vector<std::string>{"$x"});
  CHECK(set.pieces[5].kind == TemplatePiece::Kind::output);
}

TEST_CASE("nothing is known about an expression with very many parts") {
  std::string pipes = "{{ .a";
  for (std::size_t i = 0; i < 200'000; ++i) pipes += " | f";
  const GoTemplate read = read_go_template(pipes + " }}");
  REQUIRE(read.is_complete);
  CHECK(read.pieces[1].expression.kind == TemplateExpression::Kind::unknown);
}

}  // namespace cnsched::go_template_test
