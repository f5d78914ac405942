#pragma once

#include <string_view>

namespace cnsched::k8s {

/// Whether `part` may stand between the dots of a DNS name: lower case letters, digits and '-',
/// with a letter or digit at both ends. Its length is not looked at.
bool is_dns_part(std::string_view part);
/// Whether most kinds of objects may be called so: at most 253 lower case letters, digits, '-' and
/// '.', with a letter or digit at both ends of what dots separate.
/// Source: k8s.io/apimachinery pkg/util/validation, IsDNS1123Subdomain.
bool is_object_name(std::string_view name);

}  // namespace cnsched::k8s
