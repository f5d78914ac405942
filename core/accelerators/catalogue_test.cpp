#include "core/accelerators/catalogue.h"
#include "core/accelerators/records.h"
#include "core/k8s/label.h"
#include "core/k8s/pod_spec.h"
#include "testdata/support.h"

namespace cnsched::accelerators::catalogue_test {

struct Named {
  std::string name;
  Vendor vendor;
};

const NodeLabel& label(const std::string& key) {
  const NodeLabel* found = find_label(key);
  CAPTURE(key);
  REQUIRE(found != nullptr);
  return *found;
}

TEST_CASE("an amount of a device is an auxiliary resource") {
  for (const char* name :
       {"nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores",
        "nvidia.com/priority", "volcano.sh/vgpu-memory", "aliyun.com/gpu-mem",
        "gpu.intel.com/monitoring", "gpu.intel.com/i915_monitoring", "hygon.com/dcumem",
        "hygon.com/dcucores", "huawei.com/Ascend910B3-memory", "iluvatar.ai/MR-V100.vCore"}) {
    CAPTURE(name);
    CHECK(is_auxiliary_resource(name));
  }
  for (const char* name :
       {"nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "amd.com/cpx_nps4", "gpu.intel.com/i915",
        "aws.amazon.com/neuroncore", "hygon.com/dcunum", "huawei.com/Ascend910B3", "cpu"}) {
    CAPTURE(name);
    CHECK_FALSE(is_auxiliary_resource(name));
  }
}

TEST_CASE("knows every resource that a device plugin advertises, with its vendor") {
  for (const auto& [name, vendor] : {
           Named{"nvidia.com/gpu", Vendor::nvidia},
           Named{"nvidia.com/gpu.shared", Vendor::nvidia},
           Named{"nvidia.com/mig-1g.5gb", Vendor::nvidia},
           Named{"nvidia.com/mig-3g.40gb", Vendor::nvidia},
           Named{"nvidia.com/mig-1g.5gb.shared", Vendor::nvidia},
           Named{"nvidia.com/mig-1g.5gb.me", Vendor::nvidia},
           Named{"nvidia.com/mig-1g.24gb.me.all", Vendor::nvidia},
           Named{"nvidia.com/mig-1g.24gb.gfx", Vendor::nvidia},
           Named{"nvidia.com/gpumem", Vendor::nvidia},
           Named{"nvidia.com/gpumem-percentage", Vendor::nvidia},
           Named{"nvidia.com/gpucores", Vendor::nvidia},
           Named{"nvidia.com/priority", Vendor::nvidia},
           Named{"amd.com/gpu", Vendor::amd},
           Named{"amd.com/spx_nps1", Vendor::amd},
           Named{"amd.com/cpx_nps4", Vendor::amd},
           Named{"amd.com/dpx_nps2", Vendor::amd},
           Named{"gpu.intel.com/i915", Vendor::intel},
           Named{"gpu.intel.com/xe", Vendor::intel},
           Named{"gpu.intel.com/monitoring", Vendor::intel},
           Named{"gpu.intel.com/i915_monitoring", Vendor::intel},
           Named{"gpu.intel.com/xe_monitoring", Vendor::intel},
           Named{"npu.intel.com/accel", Vendor::intel},
           Named{"intel.com/gpu", Vendor::intel},
           Named{"habana.ai/gaudi", Vendor::habana},
           Named{"aws.amazon.com/neuron", Vendor::aws},
           Named{"aws.amazon.com/neuroncore", Vendor::aws},
           Named{"aws.amazon.com/neurondevice", Vendor::aws},
           Named{"google.com/tpu", Vendor::google},
           Named{"huawei.com/Ascend910A", Vendor::other},
           Named{"huawei.com/Ascend910B4-1", Vendor::other},
           Named{"huawei.com/Ascend310P-memory", Vendor::other},
           Named{"cambricon.com/vmlu", Vendor::other},
           Named{"cambricon.com/mlu", Vendor::other},
           Named{"hygon.com/dcunum", Vendor::other},
           Named{"hygon.com/dcumem", Vendor::other},
           Named{"hygon.com/dcucores", Vendor::other},
           Named{"metax-tech.com/gpu", Vendor::other},
           Named{"metax-tech.com/sgpu", Vendor::other},
           Named{"mthreads.com/vgpu", Vendor::other},
           Named{"iluvatar.ai/MR-V100-vgpu", Vendor::other},
           Named{"iluvatar.ai/BI-V150-vgpu", Vendor::other},
           Named{"kunlunxin.com/xpu", Vendor::other},
           Named{"enflame.com/gcu", Vendor::other},
           Named{"enflame.com/drs-gcu", Vendor::other},
           Named{"vastaitech.com/va", Vendor::other},
           Named{"birentech.com/gpu", Vendor::other},
       }) {
    CAPTURE(name);
    const Resource* resource = find_resource(name);
    REQUIRE(resource != nullptr);
    CHECK(resource->vendor == vendor);
    CHECK(is_accelerator(name));
    CHECK(k8s::is_extended_resource(name));
  }
}

TEST_CASE("network devices, standard resources and misspelt names are not accelerators") {
  for (const std::string name :
       {"vpc.amazonaws.com/efa", "rdma/hca", "rdma/rdma_shared_device_a", "openshift.io/mlx5",
        "nvidia.com/rdma_shared", "cpu", "memory", "hugepages-2Mi", "", "nvidia.com/gpus",
        "nvidia/gpu", "nvidia.com/GPU", "nvidia.com.gpu", "gpu", "amd.com/gpus"}) {
    CAPTURE(name);
    CHECK(find_resource(name) == nullptr);
    CHECK_FALSE(is_accelerator(name));
  }
}

TEST_CASE("knows every label of NVIDIA's feature discovery and operator") {
  for (const std::string name : {"gpu.product",
                                 "gpu.count",
                                 "gpu.replicas",
                                 "gpu.sharing-strategy",
                                 "gpu.memory",
                                 "gpu.family",
                                 "gpu.compute.major",
                                 "gpu.compute.minor",
                                 "gpu.mode",
                                 "gpu.machine",
                                 "gpu.clique",
                                 "mig.strategy",
                                 "mig.capable",
                                 "mps.capable",
                                 "vgpu.present",
                                 "mig-1g.5gb.product",
                                 "mig-1g.5gb.count",
                                 "mig-3g.20gb.slices.gi",
                                 "cuda.driver-version.major",
                                 "cuda.driver-version.full",
                                 "cuda.runtime-version.minor",
                                 "cuda.driver.major",
                                 "cuda.runtime.minor",
                                 "gfd.timestamp",
                                 "vgpu.host-driver-version",
                                 "vgpu.host-driver-branch",
                                 "gpu.present",
                                 "gpu.deploy.device-plugin",
                                 "device-plugin.config",
                                 "mig.config",
                                 "gpu.workload.config"}) {
    CAPTURE(name);
    CHECK(label("nvidia.com/" + name).vendor == Vendor::nvidia);
  }
}

TEST_CASE("knows every accelerator label of the platforms, with its vendor") {
  for (const auto& [key, vendor] : {
           Named{"cloud.google.com/gke-accelerator", Vendor::nvidia},
           Named{"cloud.google.com/gke-accelerator-count", Vendor::nvidia},
           Named{"cloud.google.com/gke-gpu-partition-size", Vendor::nvidia},
           Named{"cloud.google.com/gke-gpu-sharing-strategy", Vendor::nvidia},
           Named{"cloud.google.com/gke-max-shared-clients-per-gpu", Vendor::nvidia},
           Named{"cloud.google.com/gke-gpu-driver-version", Vendor::nvidia},
           Named{"cloud.google.com/gke-gpu", Vendor::nvidia},
           Named{"cloud.google.com/gke-tpu-accelerator", Vendor::google},
           Named{"cloud.google.com/gke-tpu-topology", Vendor::google},
           Named{"k8s.amazonaws.com/accelerator", Vendor::nvidia},
           Named{"karpenter.k8s.aws/instance-gpu-name", Vendor::nvidia},
           Named{"karpenter.k8s.aws/instance-gpu-manufacturer", Vendor::nvidia},
           Named{"karpenter.k8s.aws/instance-gpu-count", Vendor::nvidia},
           Named{"karpenter.k8s.aws/instance-gpu-memory", Vendor::nvidia},
           Named{"karpenter.k8s.aws/instance-accelerator-name", Vendor::aws},
           Named{"karpenter.k8s.aws/instance-accelerator-manufacturer", Vendor::aws},
           Named{"karpenter.k8s.aws/instance-accelerator-count", Vendor::aws},
           Named{"eks.amazonaws.com/instance-gpu-name", Vendor::nvidia},
           Named{"eks.amazonaws.com/instance-gpu-manufacturer", Vendor::nvidia},
           Named{"eks.amazonaws.com/instance-gpu-count", Vendor::nvidia},
           Named{"eks.amazonaws.com/instance-gpu-memory", Vendor::nvidia},
           Named{"eks.amazonaws.com/instance-accelerator-name", Vendor::aws},
           Named{"kubernetes.azure.com/accelerator", Vendor::nvidia},
           Named{"amd.com/gpu.family", Vendor::amd},
           Named{"amd.com/gpu.device-id", Vendor::amd},
           Named{"amd.com/gpu.product-name", Vendor::amd},
           Named{"amd.com/gpu.vram", Vendor::amd},
           Named{"amd.com/gpu.cu-count", Vendor::amd},
           Named{"amd.com/gpu.compute-memory-partition", Vendor::amd},
           Named{"beta.amd.com/gpu.vram.64G", Vendor::amd},
           Named{"feature.node.kubernetes.io/amd-gpu", Vendor::amd},
           Named{"intel.feature.node.kubernetes.io/gpu", Vendor::intel},
           Named{"intel.feature.node.kubernetes.io/npu", Vendor::intel},
           Named{"gpu.intel.com/family", Vendor::intel},
           Named{"gpu.intel.com/product", Vendor::intel},
           Named{"gpu.intel.com/device.count", Vendor::intel},
           Named{"gpu.intel.com/device-id.0300-56c0.present", Vendor::intel},
           Named{"feature.node.kubernetes.io/pci-10de.present", Vendor::nvidia},
           Named{"feature.node.kubernetes.io/pci-0302_10de.present", Vendor::nvidia},
           Named{"feature.node.kubernetes.io/pci-0300_10de.present", Vendor::nvidia},
       }) {
    CAPTURE(key);
    CHECK(label(key).vendor == vendor);
    CHECK_FALSE(label(key).set_by.empty());
    CHECK_FALSE(k8s::label_key_problem(key));
  }
}

TEST_CASE("labels of any node, and labels that do not exist, do not indicate an accelerator") {
  for (const std::string key :
       {"nvidia.com/gpu-product", "nvidia.com/gpu.name", "nvidia.com/gpu.type",
        "nvidia.com/gpu.memory.total", "nvidia.com/gpu", "kubernetes.io/hostname",
        "node.kubernetes.io/instance-type", "cloud.google.com/gke-nodepool",
        "cloud.google.com/gke-spot", "kubernetes.azure.com/agentpool",
        "feature.node.kubernetes.io/pci-10.present", "karpenter.k8s.aws/instance-family", ""}) {
    CAPTURE(key);
    CHECK(find_label(key) == nullptr);
    CHECK_FALSE(indicates_accelerator(key, "true"));
  }
}

TEST_CASE("a value may say that there is no accelerator") {
  CHECK(indicates_accelerator("nvidia.com/gpu.present", "true"));
  CHECK_FALSE(indicates_accelerator("nvidia.com/gpu.present", "false"));
  CHECK(indicates_accelerator("nvidia.com/gpu.count", "8"));
  CHECK_FALSE(indicates_accelerator("karpenter.k8s.aws/instance-gpu-count", "0"));
  CHECK_FALSE(indicates_accelerator("kubernetes.azure.com/accelerator", "none"));
}

TEST_CASE("a value may name another vendor than its key") {
  const auto vendor = [](std::string_view key, std::string_view value) {
    const Vendor* found = vendor_from_label(key, value);
    REQUIRE(found != nullptr);
    return *found;
  };
  CHECK(vendor("karpenter.k8s.aws/instance-gpu-manufacturer", "nvidia") == Vendor::nvidia);
  CHECK(vendor("karpenter.k8s.aws/instance-gpu-manufacturer", "amd") == Vendor::amd);
  CHECK(vendor("karpenter.k8s.aws/instance-gpu-name", "radeon-pro-v520") == Vendor::amd);
  CHECK(vendor("karpenter.k8s.aws/instance-accelerator-manufacturer", "qualcomm") == Vendor::other);
  CHECK(vendor("kubernetes.azure.com/accelerator", "amd") == Vendor::amd);
  CHECK(vendor_from_label("node-type", "amd") == nullptr);
}

TEST_CASE("a machine type determines the vendor of its accelerators") {
  const auto vendor = [](std::string_view type) {
    const Vendor* found = vendor_of_instance_type(type);
    CAPTURE(type);
    REQUIRE(found != nullptr);
    return *found;
  };
  for (const std::string type : {"g4dn.xlarge",
                                 "g5.xlarge",
                                 "g5g.xlarge",
                                 "g6.2xlarge",
                                 "g6e.48xlarge",
                                 "gr6.4xlarge",
                                 "g7e.2xlarge",
                                 "p3.2xlarge",
                                 "p3dn.24xlarge",
                                 "p4d.24xlarge",
                                 "p4de.24xlarge",
                                 "p5.48xlarge",
                                 "p5en.48xlarge",
                                 "p6-b200.48xlarge",
                                 "a2-highgpu-1g",
                                 "a3-megagpu-8g",
                                 "a4-highgpu-8g",
                                 "a4x-highgpu-4g",
                                 "g2-standard-4",
                                 "Standard_NC24ads_A100_v4",
                                 "Standard_NC4as_T4_v3",
                                 "Standard_ND96isr_H100_v5",
                                 "g5",
                                 "p4d"}) {
    CHECK(vendor(type) == Vendor::nvidia);
  }
  CHECK(vendor("g4ad.xlarge") == Vendor::amd);
  CHECK(vendor("Standard_ND96isr_MI300X_v5") == Vendor::amd);
  CHECK(vendor("inf1.xlarge") == Vendor::aws);
  CHECK(vendor("inf2.xlarge") == Vendor::aws);
  CHECK(vendor("trn1n.32xlarge") == Vendor::aws);
  CHECK(vendor("trn2.48xlarge") == Vendor::aws);
  for (const std::string type : {"", "g6-standard-4", "gp3", "a2", "m5.large", "c6g.large",
                                 "n1-standard-4", "Standard_D4s_v5", "t3.small", "r6i.large"}) {
    CAPTURE(type);
    CHECK(vendor_of_instance_type(type) == nullptr);
  }
}

TEST_CASE("a described plugin advertises a known resource of its vendor") {
  for (const Vendor vendor : {Vendor::nvidia, Vendor::amd, Vendor::aws, Vendor::intel}) {
    const DevicePlugin& plugin = *find_plugin(vendor);
    CAPTURE(plugin.name);
    const Resource* resource = find_resource(plugin.resource);
    REQUIRE(resource != nullptr);
    CHECK(resource->vendor == plugin.vendor);
    CHECK(find_plugin(plugin.vendor) == &plugin);
  }
  CHECK(find_plugin(Vendor::habana) == nullptr);
}

TEST_CASE(
    "NVIDIA's and Neuron's plugins tolerate their own resource name, AMD's and Intel's none") {
  CHECK(find_plugin(Vendor::nvidia)->tolerated_taint == "nvidia.com/gpu");
  CHECK(find_plugin(Vendor::aws)->tolerated_taint == "aws.amazon.com/neuron");
  CHECK(find_plugin(Vendor::amd)->tolerated_taint.empty());
  CHECK(find_plugin(Vendor::intel)->tolerated_taint.empty());
}

TEST_CASE("every vendor has a name") {
  CHECK(name_of(Vendor::nvidia) == "NVIDIA");
  CHECK(name_of(Vendor::habana) == "Intel Gaudi");
  CHECK(name_of(Vendor::other) == "another vendor");
}

TEST_CASE("a machine type determines the number of its accelerators") {
  CHECK(devices_of_instance_type("g5.xlarge") == 1);
  CHECK(devices_of_instance_type("g6e.16xlarge") == 1);
  CHECK(devices_of_instance_type("g5.48xlarge") == 8);
  CHECK(devices_of_instance_type("inf2.48xlarge") == 12);
  CHECK(devices_of_instance_type("a2-highgpu-4g") == 4);
  CHECK(devices_of_instance_type("g2-standard-24") == 2);
  CHECK(devices_of_instance_type("Standard_NC24ads_A100_v4") == 1);
}

TEST_CASE("the number of accelerators of other machine types is not known") {
  for (const char* type :
       {"", "m5.xlarge", "g5.", "g5.3xlarge", "g6f.xlarge", "a2-", "a3-highgpu-g",
        "a3-highgpu-99999999999g", "a2-highgpu-4", "Standard_NV6ads_A10_v5"}) {
    INFO(type);
    CHECK_FALSE(devices_of_instance_type(type));
  }
}

}  // namespace cnsched::accelerators::catalogue_test
