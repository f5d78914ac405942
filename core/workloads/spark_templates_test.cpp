#include "core/workloads/spark_templates.h"
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::spark_templates_test {

std::string names_in(std::string_view text) {
  std::set<std::string> names;
  add_spark_templates(text, names);
  return join_words({names.begin(), names.end()});
}

TEST_CASE("finds the names of Spark's pod templates in YAML, JSON and properties") {
  CHECK(names_in("sparkConf:\n  spark.kubernetes.driver.podTemplateFile: local:///opt/d.yaml\n"
                 "  \"spark.kubernetes.executor.podTemplateFile\": \"/opt/x/e.yaml\"\n") ==
        "d.yaml and e.yaml");
  CHECK(names_in("spark.kubernetes.driver.podTemplateFile=s3://bucket/d.yml\n"
                 "spark.kubernetes.executor.podTemplateFile   e.yaml\r\n") == "d.yml and e.yaml");
  CHECK(names_in(R"({"spark.kubernetes.driver.podTemplateFile":"/a/d.json","b":1})") == "d.json");
  CHECK(names_in(R"({"conf": "{\"spark.kubernetes.driver.podTemplateFile\": \"d.json\"}"})") ==
        "d.json");
  CHECK(names_in("") == "");
  CHECK(names_in("podTemplateFile: pod.yaml\nspark.kubernetes.driver.podTemplateFile") == "");
  CHECK(names_in("spark.kubernetes.driver.podTemplateFile: templates/\n") == "");
}

TEST_CASE("knows the usual names of Spark's pod templates") {
  CHECK(is_named_as_spark_template("jobs/driver-pod-template.yaml"));
  CHECK(is_named_as_spark_template("executor-pod-template-gke.yml"));
  CHECK(is_named_as_spark_template("Executor_Pod_Template.yaml"));
  CHECK_FALSE(is_named_as_spark_template("driver-pod-template/pod.yaml"));
  CHECK_FALSE(is_named_as_spark_template("executor.yaml"));
  CHECK_FALSE(is_named_as_spark_template("pod-template.yaml"));
}

}  // namespace cnsched::spark_templates_test
