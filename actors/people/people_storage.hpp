#pragma once

#include "actors/kernel/load.hpp"
#include "actors/people/lookup_types.hpp"
#include "actors/people/user_types.hpp"

/// What is read of people.
namespace credence::people {
/// What is written and what is asked.
struct storage {
  using facts = types<>;
  using loads =
    types<load<load_people, stored_people>, load<load_users_of, stored_users>, load<load_users, stored_users>,
          load<find_people>, load<get_people>, load<get_bundle>, load<search_people>>;
};
} // namespace credence::people
