#pragma once

#include <cstddef>
#include <utility>

namespace credence {

namespace detail {
template <std::size_t Place, class Field>
struct placed_field {
  Field it;
};
template <std::size_t Place, class Field>
constexpr const Field& field_at(const placed_field<Place, Field>& in) noexcept {
  return in.it;
}

template <class Places, class... Field>
struct placed_fields;
template <std::size_t... Place, class... Field>
struct placed_fields<std::index_sequence<Place...>, Field...> : placed_field<Place, Field>... {
  constexpr explicit placed_fields(const Field&... each) : placed_field<Place, Field>{each}... {}

  /// Calls `visit` with all of them.
  template <class Visit>
  constexpr decltype(auto) apply(Visit&& visit) const {
    return visit(static_cast<const placed_field<Place, Field>&>(*this).it...);
  }
};
} // namespace detail

/// Fields of a description, each of a type of its own, in order. A std::tuple would do the same, and asks of each of
/// its constructors whether each of its elements suits it: with many fields that was half of what a file with
/// descriptions took to compile.
template <class... Field>
struct field_list : detail::placed_fields<std::index_sequence_for<Field...>, Field...> {
  static constexpr std::size_t size = sizeof...(Field);

  constexpr explicit field_list(const Field&... each)
    : detail::placed_fields<std::index_sequence_for<Field...>, Field...>(each...) {}

  template <std::size_t Place>
  constexpr const auto& at() const noexcept {
    return detail::field_at<Place>(*this);
  }
};

} // namespace credence
