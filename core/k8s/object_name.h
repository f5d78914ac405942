#pragma once

#include <string_view>

namespace cnsched::k8s {

/// Whether `part` consists of lower-case letters, digits and '-', with a letter or digit at both
/// ends, as the parts of a DNS name do. Does not check the length.
bool is_dns_part(std::string_view part);
/// Whether `name` is a name for most kinds of objects: at most 253 lower-case letters, digits, '-'
/// and '.', with a letter or digit at both ends of each part between dots [P54].
/// Source: k8s.io/apimachinery pkg/util/validation, IsDNS1123Subdomain.
bool is_object_name(std::string_view name);

}  // namespace cnsched::k8s
