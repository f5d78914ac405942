// The reference of the lint benchmark: yaml-cpp parses the files and directories in the arguments
// and discards the events. A file with a syntax error is read up to it, as linters read on in the
// other files. Prints the number of events and of such files.

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

namespace fs = std::filesystem;

class Counter final : public YAML::EventHandler {
 public:
  [[nodiscard]] std::size_t events() const { return events_; }

  void OnDocumentStart(const YAML::Mark&) override { ++events_; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override { ++events_; }
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override { ++events_; }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {
    ++events_;
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    ++events_;
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    ++events_;
  }
  void OnMapEnd() override {}

 private:
  std::size_t events_ = 0;
};

/// Whether it has no syntax error.
bool parse(const fs::path& path, Counter& counter) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open '" + path.string() + "'");
  try {
    YAML::Parser parser(file);
    while (parser.HandleNextDocument(counter)) {
    }
  } catch (const YAML::ParserException&) {
    return false;
  }
  return true;
}

bool is_manifest(const fs::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml" || path.extension() == ".json";
}

}  // namespace

int main(int argc, char** argv) {
  Counter counter;
  std::size_t broken = 0;
  try {
    for (int i = 1; i < argc; ++i) {
      if (!fs::is_directory(argv[i])) {
        broken += parse(argv[i], counter) ? 0 : 1;
        continue;
      }
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argv[i])) {
        if (entry.is_regular_file() && is_manifest(entry.path())) {
          broken += parse(entry.path(), counter) ? 0 : 1;
        }
      }
    }
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << '\n';
    return 1;
  }
  std::cout << counter.events() << " events, " << broken << " files with a syntax error\n";
}
