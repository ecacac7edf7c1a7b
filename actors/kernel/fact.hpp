#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/field_list.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/domain/time.hpp"
#include "actors/domain/wei.hpp"
#include "actors/kernel/one_of.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Each kind of change is described once, beside its struct (`actors/<entity>/<entity>_storage.hpp`):
///
///   template <>
///   struct fact<project::vote_cast> : numbered<project::vote_cast> {
///     static constexpr auto effect = no_effect;
///     static constexpr auto fields = CREDENCE_FIELDS(of, (project_id, project), …);
///   };
///
/// From that description come the change's columns in the database, its size on the way there, whether it takes a
/// number and what a client's record of it says. A change in a list of `facts` that has none does not compile.
namespace credence {

/// Whether a change takes a global number.
enum class numbering : std::uint8_t {
  none,   // it is derived from others, or is no fact of the service's history
  hidden, // it takes one, which nobody is told
  told,   // it takes one, and its entity is told: clients know it by that
};

/// Says of a change that a client's record of it has nothing to say but that it is done.
inline constexpr struct no_effect_type {
} no_effect{};

/// The description of a change: `numbers`, `fields`; what a client's record of it says, a text of a few words, as
/// `effect(const F&)`, or `effect = no_effect`. A change whose number is told needs neither: its record says that
/// number. And, where it makes sense:
///
///   era(const F&)         the era it was decided in: it is stale, and not written, once another one has begun
///   begins_era(const F&)  the era that it begins; it has a batch to itself
///   alone                 true: it has a batch to itself
///   derived               true: whatever of it is lost is worked out again, and nobody is told that it is stored; a
///                         batch of such changes waits for no disk and no standby
///
/// Eras are numbers that grow, and there is one line of them.
///
///   commutes_with_chain = true
///                         its tables share no trigger with records and scores, so its batch does not wait for a step
///                         of a chain
template <class F>
struct fact;
/// The same for what changes are made of, records and what lists hold: `fields` only.
template <class T>
struct part;
/// That of one whose fields are members as they are: `CREDENCE_PART(slash::ballot, (voter_id, voter), weight);`
#define CREDENCE_PART(of, ...)                                                                                         \
  template <>                                                                                                          \
  struct part<of> {                                                                                                    \
    static constexpr auto fields = CREDENCE_FIELDS(of, __VA_ARGS__);                                                   \
  }

namespace detail {
/// The name of a type without its namespaces, such as `vote_cast`.
template <class T>
consteval std::string_view name_of_type() {
  std::string_view out = __PRETTY_FUNCTION__; // `… [T = credence::project::vote_cast]`, with `; …` behind it by GCC
  out.remove_prefix(out.find("T = ") + 4);
  out = out.substr(0, out.find_first_of(";]"));
  return out.substr(out.rfind(':') + 1);
}
} // namespace detail

/// Bases of descriptions; a change is called as its type is. Of a change without a number, which has an `effect`.
template <class F>
struct unnumbered {
  using of = F;
  static constexpr auto name = detail::name_of_type<F>();
  static constexpr auto numbers = numbering::none;
};
/// Of one without a number, of which nothing is to be answered.
template <class F>
struct without_effect : unnumbered<F> {
  static constexpr auto effect = no_effect;
};
/// Of one with a number that nobody is told.
template <class F>
struct numbered {
  using of = F;
  static constexpr auto name = detail::name_of_type<F>();
  static constexpr auto numbers = numbering::hidden;
};
/// Of one whose entity is told its number.
template <class F>
struct told_its_number {
  using of = F;
  static constexpr auto name = detail::name_of_type<F>();
  static constexpr auto numbers = numbering::told;
};

/// The description of a change that needs no more: `CREDENCE_FACT(without_effect, profile::keys_used, uses);`
#define CREDENCE_FACT(base, change, ...)                                                                               \
  template <>                                                                                                          \
  struct fact<change> : base<change> {                                                                                 \
    static constexpr auto fields = CREDENCE_FIELDS(change, __VA_ARGS__);                                               \
  }

template <class F>
concept described = requires {
  { fact<F>::name } -> std::convertible_to<std::string_view>;
  { fact<F>::numbers } -> std::convertible_to<numbering>;
  fact<F>::fields;
}
&&(
  requires(const F& change) {
    { fact<F>::effect(change) } -> std::convertible_to<std::string>;
  }
  || requires { requires std::same_as<std::remove_cvref_t<decltype(fact<F>::effect)>, no_effect_type>; }
  || fact<F>::numbers == numbering::told);

namespace detail {
template <class T>
concept has_parts = requires {
  part<T>::fields;
};
template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};
template <class T>
constexpr const auto& fields_of() {
  if constexpr (has_parts<T>)
    return part<T>::fields;
  else
    return fact<T>::fields;
}
} // namespace detail

/// Calls `visit(name, value)` for each field, in order.
template <class T, class Visit>
void for_each_field(const T& of, Visit&& visit) {
  detail::fields_of<T>().apply([&](const auto&... each) { (visit(std::string_view{each.name}, each.of(of)), ...); });
}

// -- bytes -----------------------------------------------------------------------------------

namespace detail {
template <class T>
std::size_t bytes_of(const T& value) {
  constexpr std::size_t length = 4; // before each value
  if constexpr (is_optional<T>::value)
    return value ? bytes_of(*value) : length;
  else if constexpr (is_vector<T>::value) {
    std::size_t sum = 0;
    for (const auto& each : value)
      sum += bytes_of(each);
    return sum;
  } else if constexpr (has_parts<T>) {
    std::size_t sum = 0;
    for_each_field(value, [&](std::string_view, const auto& each) { sum += bytes_of(each); });
    return sum;
  } else if constexpr (std::convertible_to<const T&, std::string_view>)
    return length + std::string_view{value}.size();
  else if constexpr (std::same_as<T, std::span<const std::byte>>)
    return length + value.size();
  else
    return length + sizeof(T);
}
} // namespace detail

/// Roughly how many bytes a change is on its way to the database, with what comes with it.
template <described F>
std::size_t wire_size(const F& change) {
  std::size_t sum = 16;
  for_each_field(change, [&](std::string_view, const auto& value) { sum += detail::bytes_of(value); });
  return sum;
}

// -- of any change ------------------------------------------------------------------------------

template <described... F>
std::size_t wire_size(const one_of<F...>& change) {
  return visit([](const auto& each) { return wire_size(each); }, change);
}
/// The name of its type, such as `vote_cast`.
template <described... F>
std::string_view name_of(const one_of<F...>& change) noexcept {
  static constexpr std::array<std::string_view, sizeof...(F)> names{fact<F>::name...};
  return names[change.index()];
}
template <described... F>
numbering numbering_of(const one_of<F...>& change) noexcept {
  static constexpr std::array<numbering, sizeof...(F)> all{fact<F>::numbers...};
  return all[change.index()];
}
/// Whether it is given a global number: facts are, what is derived from them is not.
template <described... F>
bool takes_number(const one_of<F...>& change) noexcept {
  return numbering_of(change) != numbering::none;
}
/// Whether its entity is told that number.
template <described... F>
bool named_by_number(const one_of<F...>& change) noexcept {
  return numbering_of(change) == numbering::told;
}
/// What a client's record of it says was done, such as the number of a tip.
template <described... F>
std::string effect_of(const one_of<F...>& change, global_seq number) {
  return visit(
    [number]<class Kind>(const Kind& each) -> std::string {
      if constexpr (requires { fact<Kind>::effect(each); })
        return fact<Kind>::effect(each);
      else
        return fact<Kind>::numbers == numbering::told ? std::to_string(number) : std::string{};
    },
    change);
}

using era_number = std::int64_t;
/// The era that a change was decided in, of those that are bound to one.
template <described... F>
std::optional<era_number> era_of(const one_of<F...>& change) {
  return visit(
    []<class Kind>(const Kind& each) -> std::optional<era_number> {
      if constexpr (requires { fact<Kind>::era(each); })
        return fact<Kind>::era(each);
      return std::nullopt;
    },
    change);
}
/// Whether a change is written in a transaction of its own, so that no other one is as long as it.
template <described... F>
bool is_written_alone(const one_of<F...>& change) {
  return visit(
    []<class Kind>(const Kind&) {
      return requires { requires fact<Kind>::alone; };
    },
    change);
}
/// Whether a change may be lost by a crash of the database, as it is worked out again from what is stored.
template <described... F>
bool is_derived(const one_of<F...>& change) {
  return visit(
    []<class Kind>(const Kind&) {
      return requires { requires fact<Kind>::derived; };
    },
    change);
}
/// The era that a change begins, of those that do.
template <described... F>
std::optional<era_number> era_begun_by(const one_of<F...>& change) {
  return visit(
    []<class Kind>(const Kind& each) -> std::optional<era_number> {
      if constexpr (requires { fact<Kind>::begins_era(each); })
        return fact<Kind>::begins_era(each);
      return std::nullopt;
    },
    change);
}

namespace detail {
template <class F>
constexpr bool commutes_with_chain = false;
template <class F>
requires(fact<F>::commutes_with_chain) constexpr bool commutes_with_chain<F> = true;
} // namespace detail

/// Whether it need not wait for the records of a chain (`commutes_with_chain`).
template <described... F>
bool commutes_with_chain(const one_of<F...>& change) noexcept {
  static constexpr std::array<bool, sizeof...(F)> all{detail::commutes_with_chain<F>...};
  return all[change.index()];
}

} // namespace credence
