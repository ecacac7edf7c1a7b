#include "actors/slash/slash_actor.hpp"
#include "http/api/replies.hpp"
#include "http/api/slashes/operations.hpp"
#include "http/api/slashes/slash_json.hpp"
#include "http/call/parameters.hpp"

namespace credence::http::v1 {

void get_slash_roles(call& c) {
  parameters given{c.query()};
  const auto number = c.path_part("id"); // a contract may count from 0
  slash::get_roles question{number == "0" ? slash_id{} : given.path_id<slash_id>("id", number), {}};
  const auto ids = given.required("profileId", "(1 to 100 profile ids)", [&] {
    return given.integers("profileId", {1, limits::id_max}, limits::bulk_profile_ids_max);
  });
  if (!given.good())
    return c.refuse(given.why());
  for (const auto id : ids)
    question.profiles.push_back(profile_id{id});
  if (c.caller())
    question.viewer = c.caller()->profile;
  c.ask(c.to().slashes, std::move(question), &reply_data<slash::get_roles::answer_type>);
}

} // namespace credence::http::v1
