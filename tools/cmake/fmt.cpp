// fmt's implementation, compiled once; see tools/cmake/packages.cmake.
#include <fmt/format-inl.h>

// fmt's headers declare these; its library defines them.
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(locale_ref);
template char fmt::detail::decimal_point_impl<char>(locale_ref);
