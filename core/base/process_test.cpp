#include "core/base/process.h"

#include <unistd.h>
#include <csignal>

#include "testdata/support.h"

namespace cnsched::process_test {

ProgramCall shell(const std::string& script) {
  return {.program = "/bin/sh",
          .arguments = {"-c", script},
          .timeout = std::chrono::seconds(20),
          .max_output = 1000};
}

TEST_CASE("a process gives its output, its errors and its exit code") {
  const auto ended = run_process(shell("echo out; echo err >&2; exit 3"));
  REQUIRE(ended);
  CHECK(ended->by == ProgramEnd::By::exit);
  CHECK(ended->status == 3);
  CHECK_FALSE(ended->is_success());
  CHECK(ended->output == "out\n");
  CHECK(ended->errors == "err\n");
}

TEST_CASE("a process gets its arguments unchanged, only the named environment, and no input") {
  ProgramCall call = shell(R"(printf '%s|' "$1" "$A" "${HOME-unset}"; cat)");
  call.arguments.insert(call.arguments.end(), {"sh", "$(date) 'x' *"});
  call.environment = {"A=b c"};
  const auto ended = run_process(call);
  REQUIRE(ended);
  CHECK(ended->output == "$(date) 'x' *|b c|unset|");
}

TEST_CASE("a process reads its input while its output is read, however large both are") {
  ProgramCall call{.program = "/bin/cat",
                   .input = std::string(std::size_t{4} << 20U, 'x'),
                   .timeout = std::chrono::seconds(20),
                   .max_output = std::size_t{8} << 20U};
  const auto ended = run_process(call);
  REQUIRE(ended);
  CHECK(ended->is_success());
  CHECK(ended->output == call.input);
}

TEST_CASE("a process may leave its input unread") {
  ProgramCall call = shell("echo done");
  call.input = std::string(std::size_t{4} << 20U, 'x');
  CHECK(run_process(call)->output == "done\n");
}

TEST_CASE("a process runs in its directory") {
  const TemporaryDirectory tree;
  tree.write("here", "");
  ProgramCall call = shell("echo *");
  call.directory = tree.root().string();
  CHECK(run_process(call)->output == "here\n");
}

TEST_CASE("a program that cannot be started is an error with the reason") {
  const auto ended = run_process({.program = "/does/not/exist"});
  REQUIRE_FALSE(ended);
  CHECK(ended.error().message == "/does/not/exist: No such file or directory");
}

TEST_CASE("a process that ends by a signal is no success") {
  const auto ended = run_process(shell("kill -TERM $$"));
  REQUIRE(ended);
  CHECK(ended->by == ProgramEnd::By::signal);
  CHECK(ended->status == SIGTERM);
}

TEST_CASE("a process is killed at the timeout, with those that it started") {
  const TemporaryDirectory tree;
  ProgramCall call = shell("sh -c 'echo $$ > pid; exec sleep 60' & sleep 60");
  call.directory = tree.root().string();
  call.environment = {"PATH=/usr/bin:/bin"};
  call.timeout = std::chrono::milliseconds(500);
  const auto ended = run_process(call);
  REQUIRE(ended);
  CHECK(ended->by == ProgramEnd::By::timeout);
  int pid = 0;
  std::ifstream(tree.path("pid")) >> pid;
  REQUIRE(pid > 0);
  // A killed process stays until it is waited for; it then counts as ended.
  bool is_gone = false;
  for (int i = 0; i < 500 && !is_gone; ++i) {
    std::string state;
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    stat >> state >> state >> state;
    is_gone = !stat || state == "Z";
    if (!is_gone) ::usleep(10000);
  }
  CHECK(is_gone);
}

TEST_CASE("a process is killed when it writes too much") {
  const auto ended = run_process(shell("while :; do echo 0123456789; done"));
  REQUIRE(ended);
  CHECK(ended->by == ProgramEnd::By::output_limit);
  CHECK(ended->output.size() == 1000);
}

TEST_CASE("a process gets no more memory than it may have") {
  ProgramCall call = shell("ulimit -d");
  call.max_memory = std::size_t{512} << 20U;
  CHECK(run_process(call)->output == "524288\n");
}

TEST_CASE("a process may leave another behind that keeps its output open") {
  ProgramCall call = shell("sleep 60 & echo done");
  call.environment = {"PATH=/usr/bin:/bin"};
  const auto ended = run_process(call);
  REQUIRE(ended);
  CHECK(ended->is_success());
  CHECK(ended->output == "done\n");
}

TEST_CASE("a process that writes many errors is not blocked") {
  ProgramCall call = shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789 >&2; i=$((i+1)); done");
  const auto ended = run_process(call);
  REQUIRE(ended);
  CHECK(ended->is_success());
  CHECK(ended->errors.size() == 65536);
}

}  // namespace cnsched::process_test
