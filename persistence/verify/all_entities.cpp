// What all entities say of their rows, joined: the one file of `verify` that knows them.
#include "actors/store.hpp"
#include "persistence/sql/all_sql.hpp"
#include "persistence/verify/numbers.hpp"

#include <algorithm>

namespace credence::persistence {

namespace {

template <class F>
void add(std::vector<number_column>& to) {
  if constexpr (fact<F>::numbers != numbering::none)
    if (constexpr auto numbers = numbers_of(kind<F>{}); std::find(to.begin(), to.end(), numbers) == to.end())
      to.push_back(numbers);
}

template <class... F>
struct numbers_in {
  static std::vector<number_column> all() {
    std::vector<number_column> out;
    (add<F>(out), ...);
    return out;
  }
};

/// Of all entities that write.
template <class... Storage>
std::vector<std::span<const promise>> promises_of_each(types<Storage...>) {
  std::vector<std::span<const promise>> out;
  const auto add_those_of = [&]<class Each>(std::type_identity<Each>) {
    if constexpr (!std::is_same_v<typename Each::facts, types<>>)
      out.push_back(promises_of<Each>());
  };
  (add_those_of(std::type_identity<Storage>{}), ...);
  out.push_back(audit_promises());
  return out;
}

} // namespace

std::vector<number_column> number_columns() { return made_of<numbers_in, all_facts>::all(); }

std::vector<std::span<const promise>> all_promises() { return promises_of_each(all_entities{}); }

} // namespace credence::persistence
