#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/packages/package.h"

namespace cnsched::packages {

/// What the engines of a run have used.
struct EngineBudget {
  std::atomic<std::int64_t> milliseconds = 0;
  std::atomic<std::size_t> bytes = 0;  ///< that they printed
};

/// How often the limits of one package the limits of all packages of a run are.
inline constexpr int kTimeouts = 10;
inline constexpr int kOutputs = 8;

/// How packages are rendered, and by which programs.
struct RenderOptions {
  std::string helm{};       ///< the program; see with_programs
  std::string kustomize{};  ///< the program, or kubectl
  /// The release of Kubernetes that charts are rendered for, unless their variant states one:
  /// "1.30"; empty: the newest that cnsched knows.
  std::string kubernetes{};
  std::vector<std::string> helm_values{};  ///< files, for every chart
  std::vector<std::string> helm_sets{};    ///< "K=V", for every chart
  std::chrono::seconds timeout{60};        ///< of one package; of all together kTimeouts times that
  std::size_t max_output = std::size_t{16} << 20U;  ///< bytes of one package
  std::size_t max_memory = std::size_t{1} << 30U;   ///< bytes of data of one engine
  bool unsandboxed = false;  ///< runs engines also where the system does not confine them
  std::shared_ptr<EngineBudget> budget = std::make_shared<EngineBudget>();  ///< of the run
  std::size_t jobs = 0;                ///< threads; 0: one per core
  std::vector<std::string> checked{};  ///< further checked files, see find_program
};

/// What an engine made of a package.
struct Rendering {
  Package package;
  std::string text{};  ///< the manifests
  std::optional<Unreadable> failure{};
};

/// A file of this name in the package's directory stands for what is rendered: "llama/<rendered>".
inline constexpr const char* kRenderedName = "<rendered>";
/// That name; for an archive, "llama.tgz:<rendered>"; of a variant, "llama/<rendered prod>".
std::string rendered_name(const Package& package);

/// The options with the programs that render the packages: those that the options name, or those
/// on PATH, which `environment` looks up. A program that is not found stays empty.
RenderOptions with_programs(std::span<const Package> packages, RenderOptions options,
                            const std::function<std::string(const char*)>& environment);

/// What confines engines here, for -v: "seccomp (no sockets), Landlock (no other files)".
std::string describe_confinement();

/// Renders the packages, several at once, by the programs of the options. An engine reads a copy
/// of the package (package_copy.h), not the repository. It gets no shell, an environment of its
/// own without plugins and a configuration, no program on PATH, and a directory of its own for
/// what it writes. The system refuses it sockets, and other files where it has Landlock, unless
/// the program is a script: that is the user's own, and starts others. Where no sockets can be
/// refused, nothing is rendered unless the options permit it. A failure names the package and has
/// the engine's message.
std::vector<Rendering> render_packages(std::span<const Package> packages,
                                       const RenderOptions& options);

}  // namespace cnsched::packages
