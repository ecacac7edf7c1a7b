#pragma once

#include <cstddef>
#include <type_traits>

namespace credence {

/// A list of types.
template <class... T>
struct types {};

namespace detail {
template <class... Lists>
struct join;
template <class... A>
struct join<types<A...>> {
  using type = types<A...>;
};
template <class... A, class... B, class... Rest>
struct join<types<A...>, types<B...>, Rest...> : join<types<A..., B...>, Rest...> {};

template <template <class...> class Of, class List>
struct rename;
template <template <class...> class Of, class... T>
struct rename<Of, types<T...>> {
  using type = Of<T...>;
};

template <class T, class List>
inline constexpr bool among = false;
template <class T, class... Listed>
inline constexpr bool among<T, types<Listed...>> = (std::is_same_v<T, Listed> || ...);
} // namespace detail

/// All types of all lists, in order.
template <class... Lists>
using joined = typename detail::join<Lists...>::type;
/// `Of<T...>` for the types of a list.
template <template <class...> class Of, class List>
using made_of = typename detail::rename<Of, List>::type;
/// How many types a list holds.
template <class... T>
consteval std::size_t count_of(types<T...>) {
  return sizeof...(T);
}
/// The place of `T` among `Listed`, from 0; how many there are where it is none of them.
template <class T, class... Listed>
consteval std::size_t place_among() {
  std::size_t place = 0;
  (void)((std::is_same_v<T, Listed> || (++place, false)) || ...);
  return place;
}
/// Whether a list holds a type.
template <class T, class List>
concept among = detail::among<T, List>;

namespace detail {
template <class List, class Others>
inline constexpr bool all_among = false;
template <class... T, class Others>
inline constexpr bool all_among<types<T...>, Others> = (among<T, Others> && ...);

template <class List, class Others>
struct left_of;
template <class... T, class Others>
struct left_of<types<T...>, Others> {
  using type = joined<types<>, std::conditional_t<among<T, Others>, types<>, types<T>>...>;
};
} // namespace detail

/// Whether a list holds all types of another.
template <class List, class Others>
concept all_among = detail::all_among<List, Others>;
/// A list without the types of another.
template <class List, class Others>
using without = typename detail::left_of<List, Others>::type;

} // namespace credence
