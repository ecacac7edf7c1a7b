#pragma once

#include "actors/domain/page.hpp"
#include "http/call/json_writer.hpp"

#include <concepts>
#include <ranges>

namespace credence::http {

/// `total`, `limit` and `offset`: which part of a list an answer is.
inline void encode_slice(json_writer& to, std::integral auto total, const page& slice) {
  to.field("total", total);
  to.field("limit", slice.limit);
  to.field("offset", slice.offset);
}

/// The members of a page: `values`, or what public clients call them, each as `each` writes it, and which part of the
/// list they are.
template <std::ranges::range Values, std::invocable<std::ranges::range_reference_t<const Values>> Each>
void encode_page(json_writer& to, const Values& values, std::integral auto total, const page& slice, Each each,
                 json_name name = "values") {
  to.key(name);
  to.begin_array();
  for (const auto& one : values)
    each(one);
  to.end_array();
  encode_slice(to, total, slice);
}

} // namespace credence::http
