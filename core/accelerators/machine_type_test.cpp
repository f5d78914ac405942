#include "core/accelerators/machine_type.h"
#include "testdata/support.h"

namespace cnsched::accelerators::machine_type_test {

std::map<std::string, std::string> labels_of(std::string_view type) {
  const auto labels = karpenter_labels(*find_machine_type(type), "karpenter.k8s.aws/");
  return {labels.begin(), labels.end()};
}

TEST_CASE("reads every line of machines.table") {
  CHECK(machine_types().size() > 100);
  for (const MachineType& type : machine_types()) {
    CHECK_MESSAGE(find_machine_type(type.name) == &type, type.name);
    CHECK(type.allocatable_bytes() < type.capacity_bytes());
    CHECK(type.accelerators->devices > 0);
  }
  CHECK(find_machine_type("m5.large") == nullptr);
}

TEST_CASE("leaves pods what Karpenter documents for the default configuration") {
  const MachineType& g6 = *find_machine_type("g6.xlarge");
  CHECK(g6.allocatable_millicpus() == 3920);
  CHECK((g6.allocatable_bytes() >> 20) == 14162);
  CHECK(find_machine_type("p5.48xlarge")->allocatable_millicpus() == 191450);
  CHECK((find_machine_type("p5.48xlarge")->allocatable_bytes() >> 20) == 1938410);
  CHECK((find_machine_type("g5g.xlarge")->allocatable_bytes() >> 20) == 6525);
}

TEST_CASE("leaves pods on Google's and Azure's machines what their larger reservations leave") {
  const MachineType& g2 = *find_machine_type("g2-standard-4");
  CHECK(g2.allocatable_millicpus() == 3920);
  CHECK((g2.allocatable_bytes() >> 20) == 16384 - 1024 - 819 - 819 - 100);
}

TEST_CASE("derives the labels that Karpenter documents") {
  auto labels = labels_of("g6.xlarge");
  CHECK(labels["karpenter.k8s.aws/instance-category"] == "g");
  CHECK(labels["karpenter.k8s.aws/instance-family"] == "g6");
  CHECK(labels["karpenter.k8s.aws/instance-generation"] == "6");
  CHECK(labels["karpenter.k8s.aws/instance-size"] == "xlarge");
  CHECK(labels["karpenter.k8s.aws/instance-cpu"] == "4");
  CHECK(labels["karpenter.k8s.aws/instance-memory"] == "16384");
  CHECK(labels["karpenter.k8s.aws/instance-gpu-name"] == "l4");
  CHECK(labels["karpenter.k8s.aws/instance-gpu-count"] == "1");
  CHECK(labels["karpenter.k8s.aws/instance-gpu-memory"] == "22888");
  CHECK(labels["karpenter.k8s.aws/instance-local-nvme"] == "250");
  CHECK(labels["kubernetes.io/arch"] == "amd64");
  CHECK(labels_of("g5g.xlarge")["kubernetes.io/arch"] == "arm64");
  CHECK(labels_of("gr6.4xlarge")["karpenter.k8s.aws/instance-category"] == "gr");
  CHECK(labels_of("p4de.24xlarge")["karpenter.k8s.aws/instance-gpu-name"] == "a100");
  CHECK(labels_of("p4de.24xlarge")["karpenter.k8s.aws/instance-gpu-memory"] == "81920");
  CHECK(labels_of("p6-b200.48xlarge")["karpenter.k8s.aws/instance-generation"] == "6");
  CHECK(labels_of("g4ad.xlarge")["karpenter.k8s.aws/instance-gpu-name"] == "radeon-pro-v520");
  CHECK(labels_of("trn1n.32xlarge")["karpenter.k8s.aws/instance-accelerator-name"] == "trainium");
  CHECK(labels_of("trn1n.32xlarge")["karpenter.k8s.aws/instance-accelerator-count"] == "16");
  CHECK_FALSE(labels_of("trn1n.32xlarge").contains("karpenter.k8s.aws/instance-gpu-name"));
}

TEST_CASE("knows which labels the table decides") {
  CHECK(is_known_karpenter_label("karpenter.k8s.aws/instance-gpu-name", "karpenter.k8s.aws/"));
  CHECK_FALSE(is_known_karpenter_label("eks.amazonaws.com/instance-cpu", "karpenter.k8s.aws/"));
  CHECK_FALSE(
      is_known_karpenter_label("karpenter.k8s.aws/instance-ebs-bandwidth", "karpenter.k8s.aws/"));
  CHECK(is_known_karpenter_label("kubernetes.io/arch", "eks.amazonaws.com/"));
}

}  // namespace cnsched::accelerators::machine_type_test
