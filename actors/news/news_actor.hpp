#pragma once

#include "actors/context.hpp"
#include "actors/kernel/actor.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/news/news_types.hpp"

#include <vector>

namespace credence::news {

/// The port to where posts come from; http implements it, tests fake it. Blocks, so it is called
/// on a thread of its own, always the same one.
class post_source {
public:
  virtual ~post_source() = default;
  /// The newest post of an account; whatever goes wrong is part of the answer.
  virtual looked_up newest_of(const account& whose) = 0;
};

struct look_up {
  using answer_type = looked_up;
  account whose;
};

/// Looks accounts up, one after the other. Always answers.
using post_reader_handle = actor_handle<look_up>;

/// On a thread of its own, on which alone `from` is used.
post_reader_handle spawn_post_reader(caf::actor_system& sys, std::shared_ptr<post_source> from);

/// Finds news by way of the accounts that storage knows, and keeps them (news_state.hpp). An item that
/// is not known within two seconds, or most of the time the asker has, is null; its look-up goes on.
using news_handle = actor_handle<get_news>;
struct news_door {
  using handle = news_handle;
};

/// As many questions go out at a time as there are `readers`; without any, nothing is ever asked, of
/// storage neither, and all news are null.
news_handle spawn_news(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                       std::vector<post_reader_handle> readers);

} // namespace credence::news
