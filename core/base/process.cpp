#include "core/base/process.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <thread>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "core/base/descriptor.h"
#include "core/base/leftovers.h"

namespace cnsched {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxErrors = std::size_t{64} << 10U;
/// How often the end of the program is looked for while it writes nothing.
constexpr std::chrono::milliseconds kPause{20};

Error system_error(std::string_view what) {
  return {fmt::format("{}: {}", what, std::generic_category().message(errno))};
}

struct Pipe {
  Descriptor reading;
  Descriptor writing;
};

Result<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  // Not inherited: a program that another thread starts meanwhile would keep the pipe open.
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("pipe");
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// A file without a name that holds the text: unlike a pipe, it needs no writer while the
/// program also waits for its output to be read, and no reader at the end.
Result<Descriptor> file_with(std::string_view text) {
  if (text.empty()) {
    Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!null) return system_error("/dev/null");
    return null;
  }
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "cnsched-XXXXXX").string();
  if (error) return Error{error.message()};
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file) return system_error(name);
  ::unlink(name.c_str());
  if (!file.write(text)) return system_error(name);
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return system_error(name);
  return file;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// What the new process needs. It is prepared before fork: afterwards, only async-signal-safe calls
/// are allowed, because other threads may have held locks.
struct Start {
  const char* program;
  const char* directory;
  char* const* arguments;
  char* const* environment;
  int input;
  int output;
  int errors;
  int failure;  ///< gets errno if the program cannot be executed
  pid_t parent;
  rlim_t max_memory;
  const Sandbox* sandbox;
};

/// In place of errno, if the sandbox cannot be entered.
constexpr int kNotConfined = -1;

[[noreturn]] void become(const Start& start) {
  ::setpgid(0, 0);
  bool is_confined = true;
  const rlimit data = {start.max_memory, start.max_memory};
  if (start.max_memory != 0) ::setrlimit(RLIMIT_DATA, &data);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  const bool is_connected =
      ::dup2(start.input, STDIN_FILENO) >= 0 && ::dup2(start.output, STDOUT_FILENO) >= 0 &&
      ::dup2(start.errors, STDERR_FILENO) >= 0 && ::chdir(start.directory) == 0;
  if (is_connected && start.sandbox != nullptr) is_confined = start.sandbox->enter();
#ifdef __linux__
  // Ends with the thread that started it, even if that is killed. New credentials reset it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) ::_exit(127);
#endif
  if (is_connected && is_confined) {
    ::execve(start.program, start.arguments, start.environment);
  }
  const int reason = is_confined ? errno : kNotConfined;
  [[maybe_unused]] const ssize_t written = ::write(start.failure, &reason, sizeof(reason));
  ::_exit(127);
}

/// Appends what can be read now. Returns false at the end of the pipe.
bool read_available(const Descriptor& from, std::string& to, std::size_t most, bool& is_over) {
  std::array<char, std::size_t{64} << 10U> buffer{};
  const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  const std::size_t size = static_cast<std::size_t>(count);
  is_over = is_over || size > most - to.size();
  to.append(buffer.data(), std::min(size, most - to.size()));
  return true;
}

/// A started program.
class Child {
 public:
  Child(pid_t pid, Descriptor output, Descriptor errors)
      : pid_(pid), output_(std::move(output)), errors_(std::move(errors)) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  ProgramEnd wait(const ProgramCall& call) {
    const Clock::time_point deadline = Clock::now() + call.timeout;
    ProgramEnd ended;
    bool is_over = false;
    // The rest of the errors is read and dropped, so that the program is not blocked.
    bool is_over_errors = false;
    while (output_ || errors_) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
      if (left.count() <= 0) return cut(std::move(ended), ProgramEnd::By::timeout);
      std::array<pollfd, 2> waiting = {{{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}}};
      ::poll(waiting.data(), waiting.size(), static_cast<int>(std::min(left, kPause).count()));
      if (waiting[0].revents != 0 &&
          !read_available(output_, ended.output, call.max_output, is_over))
        output_.close();
      if (waiting[1].revents != 0 &&
          !read_available(errors_, ended.errors, kMaxErrors, is_over_errors))
        errors_.close();
      if (is_over) return cut(std::move(ended), ProgramEnd::By::output_limit);
      // A process that it left behind may keep the pipes open.
      const bool is_quiet = waiting[0].revents == 0 && waiting[1].revents == 0;
      if (is_quiet && has_ended()) break;
    }
    while (!has_ended()) {
      if (Clock::now() >= deadline) return cut(std::move(ended), ProgramEnd::By::timeout);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ended.by = WIFSIGNALED(status_) ? ProgramEnd::By::signal : ProgramEnd::By::exit;
    ended.status = WIFSIGNALED(status_) ? WTERMSIG(status_) : WEXITSTATUS(status_);
    return ended;
  }

 private:
  ProgramEnd cut(ProgramEnd ended, ProgramEnd::By by) {
    end();
    ended.by = by;
    return ended;
  }

  bool has_ended() {
    if (!has_ended_) has_ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
    return has_ended_;
  }

  /// Kills it, if it has not ended, and what it left behind in its group.
  void end() {
    ::kill(-pid_, SIGKILL);
    if (!has_ended_) {
      ::kill(pid_, SIGKILL);
      while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) continue;
      has_ended_ = true;
    }
    leftovers::forget_group(pid_);
  }

  pid_t pid_;
  Descriptor output_;
  Descriptor errors_;
  int status_ = 0;
  bool has_ended_ = false;
};

}  // namespace

Result<ProgramEnd> run_process(const ProgramCall& call) {
  auto output = open_pipe();
  auto errors = open_pipe();
  auto failure = open_pipe();
  for (const auto* pipe : {&output, &errors, &failure}) {
    if (!*pipe) return pipe->error();
  }
  const auto input = file_with(call.input);
  if (!input) return input.error();

  std::vector<std::string> words = call.arguments;
  words.insert(words.begin(), call.program);
  std::vector<std::string> variables = call.environment;
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> environment = pointers(variables);
  Pipe out = *std::move(output);
  Pipe err = *std::move(errors);
  Pipe failed = *std::move(failure);
  const std::string directory = call.directory.empty() ? "." : call.directory;
  const Start start = {.program = call.program.c_str(),
                       .directory = directory.c_str(),
                       .arguments = arguments.data(),
                       .environment = environment.data(),
                       .input = input->get(),
                       .output = out.writing.get(),
                       .errors = err.writing.get(),
                       .failure = failed.writing.get(),
                       .parent = ::getpid(),
                       .max_memory = call.max_memory,
                       .sandbox = call.sandbox};
  const pid_t pid = leftovers::start_group(
      [](const void* argument) {
        const pid_t child = ::fork();
        if (child == 0) become(*static_cast<const Start*>(argument));
        return child;
      },
      &start);
  if (pid < 0) return system_error("fork");
  ::setpgid(pid, pid);  // as the new process does: whichever is first
  Child child(pid, std::move(out.reading), std::move(err.reading));
  out.writing.close();
  err.writing.close();
  failed.writing.close();
  int reason = 0;
  ssize_t count = 0;
  while ((count = ::read(failed.reading.get(), &reason, sizeof(reason))) < 0 && errno == EINTR)
    continue;
  if (count == sizeof(reason)) {
    if (reason == kNotConfined) return Error{"the system does not confine it"};
    errno = reason;
    return system_error(call.program);
  }
  return child.wait(call);
}

BlockedSignals::BlockedSignals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

BlockedSignals::~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace cnsched
