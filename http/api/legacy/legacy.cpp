#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/activities/activities.hpp"
#include "http/api/legacy/operations.hpp"
#include "http/api/people/people.hpp"
#include "http/api/replies.hpp"
#include "http/api/vouches/vouches.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/route.hpp"

#include <string>

namespace credence::http {

namespace v1 {

void search_users(call& c) {
  search_users(c, [](call& later, people::people_page& found, page slice) {
    reply_data_with(later, [&](json_writer& to) {
      encode_page(to, found.users, found.total, slice,
                  [&](const people::user_ptr& each) { encode_actor(to, each.get()); });
    });
  });
}

void get_vouch_fees(call& c) {
  ask_vouch_fees(c, [](call& later, const vouch_fee_list& found) {
    reply_data_object(later, [&](json_writer& to) {
      for (const auto& [name, basis_points] : found) {
        to.text_key(name);
        to.value(std::to_string(basis_points) + "n");
      }
    });
  });
}

void get_profile_stats(call& c) {
  c.ask(c.to().records, reputation::get_profile_stats{}, [](call& later, reputation::profile_stats& found) {
    reply_data_object(later, [&](json_writer& to) {
      to.field("activeProfiles", found.active);
      to.field("invitesAvailable", found.invites);
    });
  });
}

/// Tells of an endpoint that is gone, and what to call in its place.
void tell_removed(call& c) {
  const auto& route = c.of_route();
  std::string message{"this endpoint was removed on "};
  message.append(route.deprecated.substr(route.deprecated.find(' ') + 1)).append("; use ").append(route.successor);
  c.error(410, "ENDPOINT_REMOVED", message);
}

} // namespace v1

} // namespace credence::http
