// The reference of the lint benchmark: yaml-cpp parses the files and directories in the arguments
// and discards the events. Prints the number of events.

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

void parse(const fs::path& path, Counter& counter) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open '" + path.string() + "'");
  YAML::Parser parser(file);
  while (parser.HandleNextDocument(counter)) {
  }
}

bool is_manifest(const fs::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml" || path.extension() == ".json";
}

}  // namespace

int main(int argc, char** argv) {
  Counter counter;
  try {
    for (int i = 1; i < argc; ++i) {
      if (!fs::is_directory(argv[i])) {
        parse(argv[i], counter);
        continue;
      }
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argv[i])) {
        if (entry.is_regular_file() && is_manifest(entry.path())) parse(entry.path(), counter);
      }
    }
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << '\n';
    return 1;
  }
  std::cout << counter.events() << " events\n";
}
