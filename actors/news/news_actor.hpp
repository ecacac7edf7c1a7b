#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/news/news_storage.hpp"
#include "actors/news/post_reader_actor.hpp"

#include <vector>

namespace credence::news {

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
