#include "cli/commands/complete.h"
#include "cli/app.h"
#include "core/base/text.h"
#include "rules/page.h"
#include "rules/registry.h"
#include "testdata/support.h"

namespace cnsched::cli::complete_test {

/// The completion of the last word of a line. Blanks separate words; a line that ends with a blank
/// has an empty last word.
Completion completion_of(std::string_view line) {
  std::vector<std::string> words;
  for (const std::string_view word : split(line, ' ')) words.emplace_back(word);
  return complete(program(), words, words.size() - 1);
}

std::vector<std::string> words_for(std::string_view line) {
  std::vector<std::string> words;
  for (const Candidate& candidate : completion_of(line).candidates) words.push_back(candidate.word);
  return words;
}

using Words = std::vector<std::string>;

constexpr const char* kManifest = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama}
spec:
  predictor:
    containers: [{name: kserve-container, image: a}, {name: proxy, image: b}]
  transformer:
    containers: [{name: kserve-container, image: c}]
---
apiVersion: v1
kind: Node
metadata: {name: gpu-1}
)";

TEST_CASE("completion offers commands with their summaries") {
  const Completion completion = completion_of("cnsched li");
  REQUIRE(completion.candidates.size() == 1);
  CHECK(completion.candidates.front().word == "lint");
  CHECK(completion.candidates.front().text == "find mistakes in manifests");
  CHECK(words_for("cnsched generate pi") == Words{"pin"});
  CHECK(words_for("cnsched completion ") == Words{"bash", "zsh", "fish"});
}

TEST_CASE("completion offers every flag of every command") {
  const Command all = program();
  for (const Command* command : flat(all)) {
    for (const Argument& flag : command->flags) {
      CAPTURE(flag.name());
      const Words words = words_for(command->full_name() + " " + flag.name());
      CHECK(std::ranges::find(words, flag.name()) != words.end());
    }
  }
}

TEST_CASE("completion offers a flag again only if it may be repeated") {
  CHECK(words_for("cnsched lint --color never --colo").empty());
  CHECK(words_for("cnsched lint --select all --selec") == Words{"--select"});
}

TEST_CASE("completion offers no flags after --") {
  CHECK(words_for("cnsched lint -- --fi").empty());
  CHECK(completion_of("cnsched lint -- x").paths == Completion::Paths::files);
}

TEST_CASE("completion offers the words of a choice, in the same word or the next one") {
  CHECK(words_for("cnsched lint --format js") == Words{"json"});
  CHECK(words_for("cnsched lint --format=js") == Words{"--format=json"});
  CHECK(words_for("cnsched lint --cluster a.yaml --color al") == Words{"always"});
}

TEST_CASE("completion offers rules, groups and levels") {
  const Completion rules = completion_of("cnsched explain custom-gpu");
  REQUIRE(rules.candidates.size() == 1);
  CHECK(rules.candidates.front().text ==
        std::string(rules::page_of(*rules::find_rule("custom-gpu-taint")->rule).summary));
  CHECK(words_for("cnsched lint --select all,custom-g") == Words{"all,custom-gpu-taint"});
  CHECK(words_for("cnsched lint --ignore=toleration,al") == Words{"--ignore=toleration,all"});
  CHECK(words_for("cnsched lint --severity custom-g") == Words{"custom-gpu-taint="});
  CHECK(words_for("cnsched lint --severity custom-gpu-taint=w") ==
        Words{"custom-gpu-taint=warning"});
}

TEST_CASE("completion offers the policies of the configuration") {
  const TemporaryDirectory tree;
  const std::string config = tree.write(
      "c.yaml", "policies: [{id: gpu-priority, summary: S, require: {priorityClassName: high}}]\n");
  CHECK(words_for("cnsched lint -c " + config + " --select gpu-p") == Words{"gpu-priority"});
  CHECK(words_for("cnsched lint -c " + config + " --select poli") == Words{"policy"});
  CHECK(words_for("cnsched explain -c " + config + " gpu-p") == Words{"gpu-priority"});
  CHECK(words_for("cnsched lint --no-config --select poli").empty());
}

TEST_CASE("completion leaves paths to the shell and names what precedes them") {
  const Completion report = completion_of("cnsched lint --report=sarif=ou");
  CHECK(report.paths == Completion::Paths::files);
  CHECK(report.prefix == "--report=sarif=");
  CHECK(words_for("cnsched lint --report sar") == Words{"sarif="});
  CHECK(completion_of("cnsched lint x").paths == Completion::Paths::files);
  CHECK(completion_of("cnsched lint -cx").prefix == "-c");
  CHECK(completion_of("cnsched generate --template-dir x").paths == Completion::Paths::directories);
}

TEST_CASE("completion offers templates, their parameters and the parameters' values") {
  CHECK(words_for("cnsched templates knative") == Words{"knative-features"});
  CHECK(words_for("cnsched generate seldond") == Words{"seldondeployment-gpu"});
  CHECK(words_for("cnsched generate isvc-gpu --set gp") == Words{"gpus="});
  CHECK(words_for("cnsched generate isvc-gpu --set platform=gk") == Words{"platform=gke"});
  CHECK(words_for("cnsched generate isvc-gpu --set=platform=gk") == Words{"--set=platform=gke"});
  CHECK(words_for("cnsched generate isvc-gpu -pplatform=gk") == Words{"-pplatform=gke"});
  CHECK(words_for("cnsched generate pin x.yaml --set plat") == Words{"platform="});
  CHECK(words_for("cnsched generate pin x.yaml --set platform=gk") == Words{"platform=gke"});
  CHECK(words_for("cnsched generate no-such --set g").empty());
}

TEST_CASE("completion offers templates of --template-dir and of the configuration") {
  const TemporaryDirectory tree;
  tree.write(
      "mine/pod.yaml",
      "apiVersion: cnsched/v1\nkind: Template\nmetadata: {name: my-pod, summary: a pod}\n"
      "parameters:\n- use: name\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: ${{ name "
      "}}\nspec:\n  containers:\n  - name: a\n    image: b\n");
  const std::string directory = tree.path("mine");
  CHECK(words_for("cnsched generate --template-dir " + directory + " my") == Words{"my-pod"});
  CHECK(words_for("cnsched generate --template-dir " + directory + " my-pod --set n") ==
        Words{"name="});
  const std::string config = tree.write("c.yaml", "generate: {templateDirs: [mine]}\n");
  CHECK(words_for("cnsched generate -c " + config + " my") == Words{"my-pod"});
  CHECK(words_for("cnsched generate -c " + tree.path("none.yaml") + " isvc").empty());
}

TEST_CASE("completion offers objects, components and containers of the manifests on the line") {
  const TemporaryDirectory folder;
  const std::string file = folder.write("a.yaml", kManifest);
  CHECK(words_for("cnsched simulate " + file + " --explain ") == Words{"llama"});
  CHECK(words_for("cnsched simulate " + file + " --explain Inf") ==
        Words{"InferenceService/llama", "InferenceService/llama/predictor",
              "InferenceService/llama/transformer"});
  CHECK(words_for("cnsched simulate --cluster " + file + " --node ") == Words{"gpu-1"});
  CHECK(words_for("cnsched generate pin " + file + " --component tr") == Words{"transformer"});
  CHECK(words_for("cnsched generate pin " + file + " --component llama/p") ==
        Words{"llama/predictor"});
  CHECK(words_for("cnsched generate pin " + file + " --container ") ==
        Words{"kserve-container", "proxy"});
}

TEST_CASE("completion ignores manifests that are unreadable or not valid YAML") {
  const TemporaryDirectory folder;
  const std::string broken = folder.write("broken.yaml", "a: [\n'");
  for (const std::string& file : {broken, folder.root().string(), folder.path("none.yaml"),
                                  std::string("-"), std::string("/dev/zero")}) {
    CAPTURE(file);
    CHECK(words_for("cnsched simulate " + file + " --explain ").empty());
  }
}

TEST_CASE("completion omits names that could control a terminal or a completion script") {
  const TemporaryDirectory folder;
  const std::string file =
      folder.write("a.yaml",
                   "{apiVersion: v1, kind: Node, metadata: {name: \"a\\e[31m\"}}\n---\n"
                   "{apiVersion: v1, kind: Node, metadata: {name: \":files /\"}}\n---\n"
                   "{apiVersion: v1, kind: Node, metadata: {name: \"b\\tc\"}}\n---\n"
                   "{apiVersion: v1, kind: Node, metadata: {name: good}}\n");
  const Ran ran =
      run_program({"__complete", "5", "cnsched", "simulate", "--cluster", file, "--node", ""});
  CHECK(ran.exit == 0);
  CHECK(ran.out == "good\tNode\n");
}

TEST_CASE("__complete prints nothing for arguments that it does not understand") {
  for (const std::vector<std::string>& arguments :
       {Words{"__complete"}, Words{"__complete", "x"}, Words{"__complete", "0", "cnsched"},
        Words{"__complete", "7", "cnsched", "li"}, Words{"__complete", "-1", "cnsched", "li"},
        Words{"__complete", "18446744073709551615", "cnsched"},
        Words{"__complete", "2", "cnsched", "no-such", "x"},
        Words{"__complete", "1", "cnsched", "\x1b[31m"}, Words{"__complete", "--help"}}) {
    CAPTURE(arguments);
    const Ran ran = run_program(arguments);
    CHECK(ran.exit == 0);
    CHECK(ran.out.empty());
    CHECK(ran.err.empty());
  }
}

TEST_CASE("__complete prints candidates with descriptions, and directives for paths") {
  const Ran ran = run_program({"__complete", "1", "cnsched", "li"});
  CHECK(ran.out == "lint\tfind mistakes in manifests\n");
  CHECK(run_program({"__complete", "3", "cnsched", "lint", "--cluster", "x"}).out == ":files \n");
  CHECK(run_program({"__complete", "2", "cnsched", "lint", "--report=json=x"}).out ==
        ":files --report=json=\n");
}

}  // namespace cnsched::cli::complete_test
