// Pictures of terminals in README.md and docs/ are made from what the program prints now. After
// `<!-- picture: ARGUMENTS -->`, the next line links to the picture of `cnsched ARGUMENTS`.
#include "testdata/support.h"
#include "testdata/terminal_picture.h"

namespace cnsched::picture_test {

constexpr std::string_view kPictureMark = "<!-- picture: ";

std::string picture_of(std::string_view arguments) {
  const WorkingDirectory root(project_file("."));
  std::vector<std::string> words = words_of(arguments);
  for (const char* more : {"--color", "always"}) words.emplace_back(more);
  const Ran ran = run_program(words);
  return terminal_picture(fmt::format("$ cnsched {}\n{}{}", arguments, ran.out, ran.err));
}

/// Compares each picture of the page, or records it. Returns how many there are.
int check_pictures(const std::string& page) {
  const std::string path = project_file(page);
  const std::string text = read_all(path);
  int pictures = 0;
  for (std::size_t at = text.find(kPictureMark); at != std::string::npos;
       at = text.find(kPictureMark, at + 1)) {
    const std::size_t begin = at + kPictureMark.size();
    const std::size_t end = text.find(" -->\n![", begin);
    REQUIRE(end != std::string::npos);
    const std::size_t link = text.find("](", end) + 2;
    const fs::path file =
        fs::path(path).parent_path() / text.substr(link, text.find(')', link) - link);
    check_recorded(file, picture_of(text.substr(begin, end - begin)));
    ++pictures;
  }
  return pictures;
}

TEST_CASE("README's picture of a terminal shows what the program prints") {
  CHECK(check_pictures("README.md") == 1);
}

TEST_CASE("the picture of Neovim shows what .ci/editor-tests has recorded") {
  const std::string screen = project_text("testdata/lsp/neovim.screen");
  check_recorded(project_file("docs/pictures/neovim.svg"), terminal_picture(screen));
}

TEST_CASE("a picture of a terminal keeps columns and colors, and escapes markup") {
  const std::string picture = terminal_picture("a <b>\n\n  \x1b[1m\x1b[91mred\x1b[0m & plain\n");
  CHECK(has(picture, ">a &lt;b&gt;</text>"));
  CHECK(has(picture, ">  <tspan class=\"b c1\">red</tspan> &amp; plain</text>"));
  CHECK_FALSE(has(picture, '\x1b'));
}

}  // namespace cnsched::picture_test
