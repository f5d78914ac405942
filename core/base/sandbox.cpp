#include "core/base/sandbox.h"

#ifdef __linux__

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace cnsched {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // no filter is set
#endif

/// Calls that fail as if the system did not permit them. `socket` reaches networks and daemons, and
/// io_uring_setup makes sockets without it; setsid and setpgid leave the group that is killed; the
/// others reach into other processes.
constexpr std::uint32_t kRefused[] = {
    SYS_socket,           SYS_io_uring_setup,    SYS_setsid,     SYS_setpgid, SYS_ptrace,
    SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd};

constexpr std::uint32_t kX32 = 0x4000'0000;  // a second numbering of calls on x86-64

/// Appends to a program for the kernel's filter of system calls.
class FilterProgram {
 public:
  FilterProgram() {
    constexpr auto kAnswer = SECCOMP_RET_ERRNO | (EACCES & SECCOMP_RET_DATA);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    add(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1);
    add(BPF_RET | BPF_K, kAnswer);
    for (const std::uint32_t call : kRefused) {
      add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
      add(BPF_RET | BPF_K, kAnswer);
    }
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }

  /// Sets it for the calling process.
  bool set() const {
    const sock_fprog program = {static_cast<unsigned short>(size_),
                                const_cast<sock_filter*>(code_.data())};  // NOLINT: C's interface
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
  }

 private:
  void add(int code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    code_[size_++] = {static_cast<std::uint16_t>(code), if_true, if_false, value};
  }

  std::array<sock_filter, 7 + 2 * std::size(kRefused)> code_{};
  std::size_t size_ = 0;
};

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kExecute = LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kWrite = kWriteFile | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
// Of later releases of the kernel than the headers of Debian 12.
constexpr std::uint64_t kRefer = 1U << 13U;     // 2: to move a file between directories
constexpr std::uint64_t kTruncate = 1U << 14U;  // 3
/// What a rule for a file, not a directory, may permit.
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_READ_FILE | kExecute | kWriteFile | kTruncate;

/// The version of Landlock that the kernel has; below 1 if none.
long landlock_version() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/// Access that this kernel can limit.
std::uint64_t known_access(long version) {
  std::uint64_t access = kRead | kExecute | kWrite;
  if (version >= 2) access |= kRefer;
  if (version >= 3) access |= kTruncate;
  return access;
}

/// What is not there needs no rule.
void permit(int rules, const std::string& path, std::uint64_t access) {
  const Descriptor place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place) return;
  struct stat status {};
  if (::fstat(place.get(), &status) != 0 || !S_ISDIR(status.st_mode)) access &= kOfFiles;
  const landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = place.get()};
  ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

/// Tries it in a process of its own.
bool can_refuse_sockets() {
  if (kArchitecture == 0) return false;
  const pid_t pid = ::fork();
  if (pid < 0) return false;
  if (pid == 0) {
    const bool is_set = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && FilterProgram().set();
    ::_exit(is_set ? 0 : 1);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return status == 0;
}

}  // namespace

const SandboxSupport& sandbox_support() {
  static const SandboxSupport kSupport = {.refuses_sockets = can_refuse_sockets(),
                                          .limits_files = landlock_version() >= 1};
  return kSupport;
}

Sandbox::Sandbox(const Confinement& confinement) {
  const long version = landlock_version();
  if (version < 1 || confinement.has_files) return;
  const landlock_ruleset_attr limited = {.handled_access_fs = known_access(version)};
  rules_ = Descriptor(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &limited, sizeof(limited), 0)));
  const auto allow = [&](const std::string& path, std::uint64_t access) {
    permit(rules_.get(), path, access & limited.handled_access_fs);
  };
  for (const std::string& path : confinement.readable) allow(path, kRead);
  for (const std::string& path : confinement.executable) allow(path, kRead | kExecute);
  if (!confinement.writable.empty()) {
    allow(confinement.writable, kRead | kWrite | kRefer | kTruncate);
  }
  allow("/dev/null", kRead | kWriteFile | kTruncate);
}

bool Sandbox::enter() const {
  // The network of its own is a second lock on the door: most containers do not permit it.
  ::unshare(::geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (rules_ && ::syscall(SYS_landlock_restrict_self, rules_.get(), 0) != 0) return false;
  return FilterProgram().set();
}

}  // namespace cnsched

#else  // No other system has a filter that a process without privileges can set.

namespace cnsched {

const SandboxSupport& sandbox_support() {
  static const SandboxSupport kSupport;
  return kSupport;
}

Sandbox::Sandbox(const Confinement& /*confinement*/) {}
bool Sandbox::enter() const { return false; }

}  // namespace cnsched

#endif
