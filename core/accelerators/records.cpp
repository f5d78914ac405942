// The table is read once, line by line. A line is a field of the last record or, below "size", of
// the last size; indentation has no meaning.
#include "core/accelerators/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>

#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

constexpr std::string_view kTable =
#include "core/accelerators/accelerators.table"
    ;

std::atomic<const Records*>& replaced_records() {
  static std::atomic<const Records*> replacement = nullptr;
  return replacement;
}

struct Counted {
  std::string_view name;
  unsigned count = 0;
};

class Reader {
 public:
  explicit Reader(Records& records) : records_(records) {}

  void read(std::string_view table) {
    for (const std::string_view line : split(table, '\n')) {
      line_ = trim(line);
      if (line_.empty() || line_.starts_with('#')) continue;
      const std::size_t blank = std::min(line_.find(' '), line_.size());
      read_field(line_.substr(0, blank), trim(line_.substr(blank)));
    }
    name_machines();
  }

 private:
  using Field = void (Reader::*)(std::string_view value);
  struct FieldReader {
    std::string_view name;
    Field read;
  };

  [[noreturn]] void fail(std::string_view what) const {
    throw std::logic_error(fmt::format("accelerators.table: {} in '{}'", what, line_));
  }

  void read_field(std::string_view name, std::string_view value) {
    static constexpr auto kFields = std::to_array<FieldReader>({
        {"card", &Reader::open_card},
        {"device", &Reader::open_device},
        {"family", &Reader::family},
        {"arm_on_gke", &Reader::arm_on_gke},
        {"size", &Reader::open_size},
        {"gfd", &Reader::gfd},
        {"gfd_uncertain", &Reader::gfd_uncertain},
        {"gfd_never", &Reader::gfd_never},
        {"gke", &Reader::gke},
        {"google", &Reader::google},
        {"karpenter", &Reader::karpenter},
        {"says_size", &Reader::says_size},
        {"gfd_mib", &Reader::gfd_mib},
        {"karpenter_mib", &Reader::karpenter_mib},
        {"mig", &Reader::mig},
        {"mig_not_on_gke", &Reader::mig_not_on_gke},
        {"n1", &Reader::n1},
        {"autoscaler", &Reader::autoscaler},
        {"aws", &Reader::aws},
        {"azure", &Reader::azure},
        {"vendor", &Reader::vendor},
        {"title", &Reader::title},
        {"resource", &Reader::resource},
        {"label", &Reader::label},
        {"counts", &Reader::counts},
        {"hosts", &Reader::hosts},
    });
    const auto* field = std::ranges::find(kFields, name, &FieldReader::name);
    if (field == kFields.end()) fail("unknown field");
    (this->*field->read)(value);
  }

  CardModel& model() const {
    if (model_ == nullptr) fail("field of a card outside a card");
    return *model_;
  }
  Device& device() const {
    if (device_ == nullptr) fail("field of a device outside a device");
    return *device_;
  }
  CardSize& size() const {
    if (model().sizes.empty()) fail("field of a size above 'size'");
    return model().sizes.back();
  }

  unsigned number(std::string_view text) const {
    const auto value = whole_number<unsigned>(text);
    if (!value) fail("a number is missing");
    return *value;
  }

  std::vector<Counted> counted(std::string_view items) const {
    std::vector<Counted> found;
    for (const std::string_view item : split(items, ' ')) {
      const std::size_t colon = item.find(':');
      if (colon == std::string_view::npos) fail("a number is missing");
      found.push_back({item.substr(0, colon), number(item.substr(colon + 1))});
    }
    return found;
  }

  void open_card(std::string_view value) {
    device_ = nullptr;
    model_ = &records_.models.emplace_back();
    model_->name = value;
  }
  void open_device(std::string_view value) {
    model_ = nullptr;
    device_ = &records_.devices.emplace_back();
    device_->name = value;
  }
  void family(std::string_view value) { model().family = value; }
  void arm_on_gke(std::string_view) { model().arm_on_gke = true; }
  void open_size(std::string_view value) {
    model().sizes.emplace_back().gigabytes = number(value);
    gke_name_ = {};
  }

  void add_name(Naming naming, std::string_view value) {
    const Card card{&model(), model().sizes.empty() ? 0 : size().gigabytes};
    records_.card_names.push_back({naming, value, card});
  }
  void gfd(std::string_view value) { add_name(Naming::feature_discovery, value); }
  void gke(std::string_view value) {
    add_name(Naming::gke, value);
    gke_name_ = value;
  }
  void karpenter(std::string_view value) { add_name(Naming::karpenter, value); }
  void gfd_uncertain(std::string_view) { model().has_uncertain_names = true; }
  void gfd_never(std::string_view value) {
    const std::size_t blank = std::min(value.find(' '), value.size());
    records_.invalid_product_names.push_back({value.substr(0, blank), trim(value.substr(blank))});
  }
  void says_size(std::string_view value) {
    const auto name = std::ranges::find(records_.card_names, value, &CardName::value);
    if (name == records_.card_names.end()) fail("unknown name");
    name->says_size = true;
  }

  void gfd_mib(std::string_view value) { size().feature_discovery_mib = number(value); }
  void karpenter_mib(std::string_view value) {
    (device_ != nullptr ? device().karpenter_mib : size().karpenter_mib) = number(value);
  }
  void mig(std::string_view value) {
    for (const Counted& profile : counted(value)) {
      size().mig_profiles.push_back({profile.name, profile.count});
    }
  }
  void mig_not_on_gke(std::string_view value) {
    const auto names = split(value, ' ');
    for (MigProfile& profile : size().mig_profiles) {
      const bool is_listed = is_one_of(profile.name, names);
      if (value == "all" || is_listed) profile.on_gke = false;
    }
  }
  void n1(std::string_view value) { size().most_on_n1 = number(value); }
  void autoscaler(std::string_view value) { size().autoscaler = value; }

  void add_machines(Provider provider, std::string_view items, std::string_view accelerator) {
    for (const Counted& item : counted(items)) {
      Machine& machine = records_.machines.emplace_back();
      machine = {provider, item.name, item.count, std::string(accelerator), Vendor::nvidia};
      machine_cards_.push_back(device_ != nullptr ? Card{} : Card{&model(), size().gigabytes});
      if (device_ != nullptr) machine.vendor = device_->vendor;
    }
  }
  std::string_view device_name() const { return device_ == nullptr ? "" : device_->name; }
  void google(std::string_view value) {
    if (gke_name_.empty()) fail("no GKE name above");
    add_machines(Provider::google, value, gke_name_);
  }
  void aws(std::string_view value) { add_machines(Provider::amazon, value, device_name()); }
  void azure(std::string_view value) { add_machines(Provider::azure, value, device_name()); }

  /// A card may get its GKE name below its machines.
  void name_machines() {
    for (std::size_t i = 0; i < records_.machines.size(); ++i) {
      std::string& name = records_.machines[i].accelerator;
      if (name.empty()) name = product_name(records_, machine_cards_[i]);
    }
  }

  void vendor(std::string_view value) {
    const auto found = vendor_named(value);
    if (!found) fail("unknown vendor");
    device().vendor = *found;
  }
  void title(std::string_view value) { device().title = value; }
  void resource(std::string_view value) { device().resource = value; }
  void label(std::string_view value) {
    const std::size_t blank = std::min(value.find(' '), value.size());
    device().label_key = value.substr(0, blank);
    device().label_value = trim(value.substr(blank));
  }
  void counts(std::string_view value) {
    for (const std::string_view item : split(value, ' ')) device().counts.push_back(number(item));
  }
  void hosts(std::string_view value) {
    for (const Counted& host : counted(value)) {
      records_.tpu_hosts.push_back({device().name, host.name, host.count});
    }
  }

  Records& records_;
  std::string_view line_;
  CardModel* model_ = nullptr;
  Device* device_ = nullptr;
  std::string_view gke_name_;
  std::vector<Card> machine_cards_;  ///< of each machine
};

}  // namespace

Records::Records(std::string_view table) { Reader(*this).read(table); }

std::string_view accelerators_table() { return kTable; }

const Records& records() {
  if (const Records* replacement = replaced_records()) return *replacement;
  static const Records kRecords(kTable);
  return kRecords;
}

RecordsReplacement::RecordsReplacement(const Records& replacement) {
  replaced_records() = &replacement;
}

RecordsReplacement::~RecordsReplacement() { replaced_records() = nullptr; }

std::optional<unsigned> devices_of_instance_type(std::string_view type) {
  const auto& machines = records().machines;
  const auto machine = std::ranges::find(machines, type, &Machine::type);
  return machine == machines.end() ? std::nullopt : std::optional(machine->devices);
}

const CardSize* CardModel::find_size(unsigned gigabytes) const {
  const auto size = std::ranges::find(sizes, gigabytes, &CardSize::gigabytes);
  return size == sizes.end() ? nullptr : &*size;
}

std::string systematic_name(const Card& card) {
  std::string model = lower(card.model->name);
  std::ranges::replace(model, ' ', '-');
  const bool sized = card.gigabytes != 0 && card.model->sizes.size() > 1;
  return sized ? fmt::format("nvidia-{}-{}gb", model, card.gigabytes)
               : fmt::format("nvidia-{}", model);
}

std::string product_name(const Records& records, const Card& card) {
  if (card.gigabytes == 0) return systematic_name(card);
  const auto gke = std::ranges::find_if(records.card_names, [&](const CardName& name) {
    return name.naming == Naming::gke && name.card == card;
  });
  return gke == records.card_names.end() ? systematic_name(card) : std::string(gke->value);
}

}  // namespace cnsched::accelerators
