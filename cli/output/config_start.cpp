#include "cli/output/config_page.h"
#include "core/base/text.h"
#include "rules/engine/config_shape.h"

namespace cnsched::cli {

namespace {

constexpr std::string_view kIntroduction =
    "Configuration of cnsched for all files below this directory that have no nearer "
    ".cnsched.yaml. Every key is here: take away the '# ' in front of those that you need. "
    "'cnsched "
    "config' shows what is in force, and where it is from.";

/// The keys of a record, each below its explanation.
class Sheet {
 public:
  void prose(std::string_view words, std::size_t indent) {
    constexpr std::size_t kWidth = 90;
    for (const std::string& line : wrap(words, kWidth - indent)) {
      text += "## " + std::string(indent, ' ') + line + "\n";
    }
  }

  void keys(const yaml::Shape& record, std::size_t indent) {
    for (const yaml::Field& field : record.fields) {
      if (indent == 0) text += "\n";
      prose(field.doc, indent);
      example(field, indent);
      if (field.example.empty()) keys(field.shape, indent + 2);
    }
  }

  std::string text;

 private:
  void example(const yaml::Field& field, std::size_t indent) {
    const std::vector<std::string_view> lines = split(field.example, '\n');
    text += "# " + std::string(indent, ' ') + std::string(field.name) + ":";
    if (!lines.front().empty()) text += " " + std::string(lines.front());
    text += "\n";
    for (std::size_t i = 1; i < lines.size(); ++i) {
      text += "# " + std::string(indent + 2, ' ') + std::string(lines[i]) + "\n";
    }
  }
};

}  // namespace

std::string starting_config() {
  Sheet sheet;
  sheet.prose(kIntroduction, 0);
  sheet.keys(rules::config_shape(), 0);
  return sheet.text;
}

}  // namespace cnsched::cli
