#include "actors/reputation/record_actor.hpp"
#include "http/api/notifications/operations.hpp"
#include "http/api/people/people.hpp"
#include "http/api/replies.hpp"
#include "http/call/record_body.hpp"

namespace credence::http::v2 {

namespace {

using reputation::notice;
using reputation::notice_list;

std::string_view type_of(const notice& notice) {
  return reputation::notice_kind_names[static_cast<std::size_t>(notice.kind)];
}

void encode_activity_name(json_writer& to, json_name name, const reputation::activity& activity) {
  to.object(name, [&] {
    to.field("type", reputation::name_of(activity.kind));
    to.field("id", activity.id);
  });
}

void encode_notice(json_writer& to, user_cards& cards, const notice_list& in, const notice& notice) {
  to.begin_object();
  to.field("type", type_of(notice));
  to.field("createdAt", unix_seconds(notice.at));
  to.field("isRead", !notice.unread);
  encode_named(to, "actor", cards, in.users, notice.by);
  encode_activity_name(to, "activity", notice.record);
  if (notice.about)
    encode_activity_name(to, "target", *notice.about);
  to.field_if("isUpvote", notice.upvote);
  to.end_object();
}

void reply_read(call& c, std::int64_t count, timestamp to_moment) {
  reply_object(c, [&](json_writer& to) {
    to.field("ok", true);
    to.field("read", count);
    to.field("readTo", unix_seconds(to_moment));
  });
}

} // namespace

void list_notifications(call& c) {
  const reputation::list_notices question{c.caller()->profile, read_list_page(c.given(), limits::limit_max)};
  c.ask(c.to().records, question, [](call& later, notice_list& found) {
    reply_page(later, found,
               [&](json_writer& to, user_cards& cards, const notice& row) { encode_notice(to, cards, found, row); });
  });
}

void get_notification_stats(call& c) {
  c.ask(c.to().records, reputation::list_notices{c.caller()->profile, {0, 0}}, [](call& later, notice_list& found) {
    reply_object(later, [&](json_writer& to) {
      to.field("total", found.total);
      to.field("unread", found.unread);
      to.field("unreadCount", found.unread);
      to.field("readTo", unix_seconds(found.read_to));
    });
  });
}

void mark_notifications_read(call& c) {
  const reputation::mark_notices_read mark{c.caller()->profile, read_dry_run(c.given())};
  c.ask(c.to().records, reputation::list_notices{mark.whose, {0, 0}}, [mark](call& asking, notice_list& found) {
    asking.ask(asking.to().records, mark,
               [count = found.unread](call& later, timestamp& to) { reply_read(later, count, to); });
  });
}

void replay_mark_notifications_read(call& c, const idempotency::found_record& done) {
  reply_read(c, 0, timestamp{std::chrono::microseconds{parse_integer(done.effect).value_or(0)}});
}

} // namespace credence::http::v2
