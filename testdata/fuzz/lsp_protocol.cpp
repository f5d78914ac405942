// Fuzzes the language server with any input. It sends well-formed messages, has no internal error,
// and ends. A line of the input that begins with '{' or '[' is the body of a message; any other
// line is sent as it is. FOLDER is the URI of a folder with a manifest, a.yaml.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "cli/lsp/documents.h"
#include "cli/lsp/server.h"
#include "cli/lsp/transport.h"
#include "core/base/text.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

constexpr std::string_view kFolderWord = "FOLDER";

constexpr const char* kManifest =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
    "  tolerations: [{key: a, operator: Exists, value: x}]\n"
    "  containers: [{name: a, image: a:1}]\n";

/// Whether a line may name another folder, which the server would read as a whole.
bool names_other_folder(std::string_view line) {
  static constexpr std::array kSigns = {"file:", "rootPath", "..", "%2", "\\u"};
  return std::ranges::any_of(
      kSigns, [&](const char* sign) { return line.find(sign) != std::string_view::npos; });
}

std::string with_folder(std::string_view line, const std::string& uri) {
  std::string result;
  for (std::size_t at = line.find(kFolderWord); at != std::string_view::npos;
       at = line.find(kFolderWord)) {
    result += line.substr(0, at);
    result += uri;
    line.remove_prefix(at + kFolderWord.size());
  }
  return result + std::string(line);
}

std::string stream_of(std::string_view input, const std::string& uri) {
  std::string stream;
  for (const std::string_view line : split(input, '\n')) {
    if (names_other_folder(line)) continue;
    const std::string body = with_folder(line, uri);
    if (body.starts_with('{') || body.starts_with('[')) {
      stream += fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
    } else {
      stream += body + "\r\n";
    }
  }
  return stream;
}

void check_messages(const std::string& output) {
  std::istringstream in(output);
  cli::lsp::FrameReader reader(in);
  cli::lsp::Frame frame = reader.next();
  for (; frame.kind == cli::lsp::Frame::Kind::body; frame = reader.next()) {
    const auto message = cli::lsp::parse_json(frame.text);
    require(message && cli::lsp::member(*message, "jsonrpc") == "2.0", "not a message");
    require(frame.text.find("internal error") == std::string::npos, frame.text);
  }
  require(frame.kind == cli::lsp::Frame::Kind::end && frame.text.empty(), "a message is not whole");
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched;
  static const fuzz::ScratchDirectory kFolder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(kFolder.root());
  kFolder.write("a.yaml", fuzz::kManifest);
  std::istringstream in(
      fuzz::stream_of(fuzz::text_of(data, size), cli::lsp::uri_of_path(kFolder.root())));
  std::ostringstream out;
  cli::lsp::Settings settings;
  settings.input.jobs = 1;
  const cli::Exit exit = cli::lsp::serve(settings, in, out);
  fuzz::require(exit == cli::Exit::clean || exit == cli::Exit::findings, "an exit code of a bug");
  fuzz::check_messages(out.str());
  std::filesystem::current_path(before);
  return 0;
}
