#include "core/base/leftovers.h"

#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/base/process.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "cnsched-";

/// Never destroyed: a signal may come while the process ends.
struct Registry {
  std::mutex mutex;
  std::set<pid_t> groups;
  std::set<std::string> directories;
  sem_t signalled{};
};

Registry& registry() {
  static auto* const kRegistry = new Registry;  // NOLINT: see above
  return *kRegistry;
}

std::atomic<bool> is_watched = false;
std::atomic<int> last_signal = 0;

void remove_directory(const std::string& path) {
  // A killed process may still write for a moment.
  constexpr int kAttempts = 20;
  std::error_code error;
  for (int i = 0; i < kAttempts; ++i) {
    fs::remove_all(path, error);
    if (!error) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void watch() {
  Registry& all = registry();
  while (::sem_wait(&all.signalled) != 0) continue;
  // The lock is kept: nothing is added any more.
  all.mutex.lock();
  for (const pid_t group : all.groups) ::kill(-group, SIGKILL);
  for (const std::string& directory : all.directories) remove_directory(directory);
  const int signal = last_signal;
  std::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

/// Starts the thread that clears, with the first thing that there is to clear.
void start_watching() {
  static std::once_flag once;
  std::call_once(once, [] {
    ::sem_init(&registry().signalled, 0, 0);
    std::thread(watch).detach();
    is_watched = true;
  });
}

/// A lock of the registry that no handler of a signal interrupts: it would wait for it forever.
class Access {
 public:
  Access() : lock_(registry().mutex) {}

 private:
  BlockedSignals blocked_;
  std::lock_guard<std::mutex> lock_;
};

/// Removes the directory of a process that was killed: nobody holds its lock. A directory that was
/// made just now is left: its lock may follow.
void remove_if_dead(const std::string& path) {
  constexpr std::time_t kSeconds = 60;
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return;
  struct stat status {};
  const bool is_own_and_old = ::fstat(directory.get(), &status) == 0 &&
                              status.st_uid == ::geteuid() &&
                              status.st_mtime + kSeconds < std::time(nullptr);
  if (is_own_and_old && ::flock(directory.get(), LOCK_EX | LOCK_NB) == 0) remove_directory(path);
}

void remove_dead_directories(const fs::path& all) {
  std::error_code error;
  for (fs::directory_iterator it(all, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    constexpr std::size_t kRandom = 6;
    if (name.starts_with(kPrefix) && name.size() == kPrefix.size() + kRandom) {
      remove_if_dead(it->path().string());
    }
  }
}

void add_directory(const std::string& path) {
  start_watching();
  const Access access;
  registry().directories.insert(path);
}

void forget_directory(const std::string& path) {
  const Access access;
  registry().directories.erase(path);
}

}  // namespace

pid_t leftovers::start_group(pid_t (*start)(const void*), const void* argument) {
  start_watching();
  const Access access;
  const pid_t group = start(argument);
  if (group > 0) registry().groups.insert(group);
  return group;
}

void leftovers::forget_group(pid_t group) {
  const Access access;
  registry().groups.erase(group);
}

void leftovers::clear_and_raise(int signal) {
  if (!is_watched) return;
  last_signal = signal;
  ::sem_post(&registry().signalled);
  while (true) ::poll(nullptr, 0, -1);
}

ScratchDirectory::ScratchDirectory() {
  std::error_code error;
  const fs::path above = fs::weakly_canonical(fs::temp_directory_path(error), error);
  if (error) return;
  static std::once_flag once;
  std::call_once(once, [&] { remove_dead_directories(above); });
  std::string name = (above / (std::string(kPrefix) + "XXXXXX")).string();
  const BlockedSignals blocked;
  if (::mkdtemp(name.data()) == nullptr) return;
  path_ = name;
  add_directory(path_);
  lock_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock_) ::flock(lock_.get(), LOCK_EX | LOCK_NB);
}

ScratchDirectory::~ScratchDirectory() {
  if (path_.empty()) return;
  remove_directory(path_);
  forget_directory(path_);
}

}  // namespace cnsched
