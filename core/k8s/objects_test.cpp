#include "core/k8s/objects.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "testdata/support.h"

namespace cnsched::k8s {

namespace {

constexpr std::string_view kGroup = "serving.kserve.io";

/// Objects with the paths of the files that hold them.
class Run {
 public:
  /// An InferenceService or runtime in a file of that path, which may hold others.
  const Object& add(const std::string& path, const std::string& kind, const std::string& ns,
                    const std::string& name) {
    const auto held = std::ranges::find(paths_, path);
    const auto id = static_cast<FileId>(held - paths_.begin());
    if (held == paths_.end()) paths_.push_back(path);
    files_.emplace_back("apiVersion: serving.kserve.io/v1alpha1\nkind: " + kind +
                        "\nmetadata: {name: " + name + ", namespace: '" + ns + "'}\n");
    yaml::Node& root = *roots_.emplace_back(std::make_unique<yaml::Node>(files_.back().root()));
    root.span.file = id;
    root.span.begin = static_cast<std::uint32_t>(roots_.size());  // behind those before it
    Object object = objects_in(files_.back().document).front();
    object.root = &root;
    objects.add(held_.emplace_back(object), *std::ranges::find(paths_, path));
    objects.sort(1);
    return held_.back();
  }

  Objects objects;

 private:
  std::deque<std::string> paths_;
  std::deque<test::Parsed> files_;
  std::deque<std::unique_ptr<yaml::Node>> roots_;
  std::deque<Object> held_;
};

/// What `find` has to give, found by looking at each of them in turn.
class Naive {
 public:
  void add(const Object& object, std::string path) { all_.push_back({&object, std::move(path)}); }

  const Object* find(std::string_view kind, std::string_view ns, std::string_view name,
                     const Object& asker, std::string_view path) const {
    const Held* best = nullptr;
    bool unclear = false;
    for (const Held& held : all_) {
      const Object& object = *held.object;
      const bool is_asked_for = object.kind == kind && object.name == name &&
                                (ns.empty() || object.ns.empty() || object.ns == ns);
      if (!is_asked_for) continue;
      const auto far = distance(held, asker, path);
      if (best == nullptr || far < distance(*best, asker, path) ||
          (far == distance(*best, asker, path) && held.path == best->path)) {
        unclear = unclear && best != nullptr && far == distance(*best, asker, path);
        best = &held;
      } else if (far == distance(*best, asker, path)) {
        unclear = true;
      }
    }
    return best == nullptr || unclear ? nullptr : best->object;
  }

 private:
  struct Held {
    const Object* object;
    std::string path;
  };

  static std::tuple<bool, bool, int> distance(const Held& held, const Object& asker,
                                              std::string_view path) {
    const auto [mine, other] = std::ranges::mismatch(held.path, path);
    const auto shared = std::count(held.path.begin(), mine, '/');
    return {held.object->ns != asker.ns && !held.object->ns.empty(), held.path != path,
            -static_cast<int>(shared)};
  }

  std::vector<Held> all_;
};

}  // namespace

TEST_CASE("objects are found by group, kind, name and namespace") {
  Run run;
  const Object& service = run.add("a.yaml", "InferenceService", "team", "llama");
  const Object& runtime = run.add("a.yaml", "ServingRuntime", "", "vllm");
  const auto find = [&](auto kind, auto ns, auto name) {
    return run.objects.find(kGroup, kind, ns, name, service);
  };
  CHECK(find("InferenceService", "team", "llama") == &service);
  CHECK(find("InferenceService", "", "llama") == &service);
  CHECK(find("ServingRuntime", "anywhere", "vllm") == &runtime);
  CHECK(find("InferenceService", "other", "llama") == nullptr);
  CHECK(find("ServingRuntime", "team", "llama") == nullptr);
  CHECK(run.objects.find("example.com", "InferenceService", "team", "llama", service) == nullptr);
}

TEST_CASE("finds the nearest of several objects with one name in any order") {
  Run run;
  const Object& far = run.add("b/runtime.yaml", "ServingRuntime", "", "vllm");
  const Object& near = run.add("a/runtime.yaml", "ServingRuntime", "", "vllm");
  const Object& service = run.add("a/service.yaml", "InferenceService", "", "llama");
  const Object& elsewhere = run.add("b/more/service.yaml", "InferenceService", "", "llama");
  CHECK(run.objects.find(kGroup, "ServingRuntime", "", "vllm", service) == &near);
  CHECK(run.objects.find(kGroup, "ServingRuntime", "", "vllm", elsewhere) == &far);
  const Object& same_file = run.add("a/service.yaml", "ServingRuntime", "", "vllm");
  CHECK(run.objects.find(kGroup, "ServingRuntime", "", "vllm", service) == &same_file);
}

TEST_CASE("finds the last of several objects in one file") {
  Run run;
  const Object& service = run.add("a.yaml", "InferenceService", "", "llama");
  run.add("a.yaml", "ServingRuntime", "", "vllm");
  const Object& last = run.add("a.yaml", "ServingRuntime", "", "vllm");
  CHECK(run.objects.find(kGroup, "ServingRuntime", "", "vllm", service) == &last);
}

TEST_CASE("prefers objects in the referring object's namespace or without one") {
  Run run;
  const Object& service = run.add("a/service.yaml", "InferenceService", "team", "llama");
  const auto find = [&](std::string_view ns) {
    return run.objects.find(kGroup, "ServingRuntime", ns, "vllm", service);
  };
  const Object& other = run.add("a/service.yaml", "ServingRuntime", "other", "vllm");
  run.add("b/runtime.yaml", "ServingRuntime", "others", "vllm");
  CHECK(find("") == &other);
  CHECK(find("other") == &other);
  CHECK(find("team") == nullptr);
  const Object& own = run.add("c/runtime.yaml", "ServingRuntime", "team", "vllm");
  CHECK(find("") == &own);
  CHECK(find("other") == &other);
  const Object& none = run.add("a/runtime.yaml", "ServingRuntime", "", "vllm");
  CHECK(find("") == &none);
  CHECK(find("other") == &none);
  run.add("a/runtimes.yaml", "ServingRuntime", "team", "vllm");
  CHECK(find("") == nullptr);
}

TEST_CASE("finds the nearest of many at any sort position") {
  Run run;
  std::vector<const Object*> runtimes;
  for (const char* path : {"a-b/runtime.yaml", "a/a/runtime.yaml", "a/b/c/runtime.yaml",
                           "a/b/d/x/runtime.yaml", "a/c/runtime.yaml", "ab/runtime.yaml"}) {
    runtimes.push_back(&run.add(path, "ServingRuntime", "", "vllm"));
  }
  const auto nearest = [&](const std::string& path) {
    const Object& service = run.add(path, "InferenceService", "", "llama");
    const Object* found = run.objects.find(kGroup, "ServingRuntime", "", "vllm", service);
    return found == nullptr
               ? runtimes.size()
               : static_cast<std::size_t>(std::ranges::find(runtimes, found) - runtimes.begin());
  };
  CHECK(nearest("a/b/c/service.yaml") == 2);
  CHECK(nearest("a/b/c/z/service.yaml") == 2);
  CHECK(nearest("a/b/d/service.yaml") == 3);
  CHECK(nearest("a/b/service.yaml") == runtimes.size());
  CHECK(nearest("a/a/z.yaml") == 1);
  CHECK(nearest("a/service.yaml") == runtimes.size());
  CHECK(nearest("ab/z.yaml") == 5);
  CHECK(nearest("z/service.yaml") == runtimes.size());
}

TEST_CASE("finds what a linear search finds") {
  std::mt19937 random(1);
  const auto one_of = [&](const std::vector<std::string>& words) {
    return words[random() % words.size()];
  };
  const std::vector<std::string> spaces = {"", "", "team", "other"};
  const std::vector<std::string> names = {"vllm", "triton"};
  for (int round = 0; round < 40; ++round) {
    Run run;
    Naive naive;
    // A file is read from front to end before the next one.
    std::set<std::string> paths;
    while (paths.size() < 5) {
      paths.insert(one_of({"", "a/", "a/b/", "a-b/", "b/"}) + one_of({"x", "y", "a"}) + ".yaml");
    }
    std::vector<std::pair<const Object*, std::string>> askers;
    for (const std::string& path : paths) {
      for (unsigned i = 0; i < random() % 4; ++i) {
        naive.add(run.add(path, "ServingRuntime", one_of(spaces), one_of(names)), path);
      }
      askers.emplace_back(&run.add(path, "InferenceService", one_of(spaces), "llama"), path);
    }
    for (const auto& [asker, path] : askers) {
      for (const std::string ns : {"", "team", "other"}) {
        CHECK(run.objects.find(kGroup, "ServingRuntime", ns, "vllm", *asker) ==
              naive.find("ServingRuntime", ns, "vllm", *asker, path));
      }
    }
  }
}

TEST_CASE("finds nothing where several objects are equally near") {
  Run run;
  run.add("dev/runtime.yaml", "ServingRuntime", "", "vllm");
  run.add("prod/runtime.yaml", "ServingRuntime", "", "vllm");
  const Object& service = run.add("service.yaml", "InferenceService", "", "llama");
  CHECK(run.objects.find(kGroup, "ServingRuntime", "", "vllm", service) == nullptr);
  CHECK(run.objects.holds(kGroup, "ServingRuntime", ""));
  CHECK(run.objects.holds(kGroup, "ServingRuntime", "", "vllm"));
  CHECK_FALSE(run.objects.holds(kGroup, "ServingRuntime", "", "triton"));
  CHECK_FALSE(run.objects.holds("example.com", "ServingRuntime", "", "vllm"));
  CHECK(run.objects.all(kGroup, "ServingRuntime", "", service).empty());
}

TEST_CASE("lists the objects of a kind in a namespace by name") {
  Run run;
  const Object& service = run.add("a.yaml", "InferenceService", "team", "llama");
  const Object& vllm = run.add("b.yaml", "ServingRuntime", "team", "vllm");
  const Object& triton = run.add("c.yaml", "ServingRuntime", "", "triton");
  run.add("d.yaml", "ServingRuntime", "other", "onnx");
  CHECK(run.objects.all(kGroup, "ServingRuntime", "team", service) ==
        std::vector<const Object*>{&triton, &vllm});
}

TEST_CASE("lists nothing if there are more names than requested") {
  Run run;
  const Object& service = run.add("a.yaml", "InferenceService", "team", "llama");
  run.add("a.yaml", "ServingRuntime", "team", "onnx");
  run.add("b.yaml", "ServingRuntime", "", "onnx");
  run.add("c.yaml", "ServingRuntime", "", "vllm");
  const auto count = [&](std::string_view ns, std::size_t most) {
    return run.objects.all(kGroup, "ServingRuntime", ns, service, most).size();
  };
  for (const std::string_view ns : {"team", ""}) {
    CHECK(count(ns, 2) == 2);
    CHECK(count(ns, 1) == 0);
  }
}

}  // namespace cnsched::k8s
