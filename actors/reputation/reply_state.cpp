#include "actors/reputation/record_rules.hpp"

#include <algorithm>

namespace credence::reputation {

namespace {

std::string text_of(const activity& activity) {
  return std::string{name_of(activity.kind)} + " " + std::to_string(activity.id);
}
std::string text_of(reply_id which) { return "reply " + std::to_string(which.value); }

/// Why nothing may be done about an activity, if so.
std::optional<refusal> closed(const record_rows& rows, const activity& activity) {
  const auto* found = rows.find(activity);
  if (!found)
    return refusal{refusal_code::not_found, "there is no " + text_of(activity)};
  if (found->archived)
    return refusal{refusal_code::record_archived,
                   text_of(activity) + " is archived; only live ones take replies and votes"};
  if (found->unsettled)
    return not_yet_settled(text_of(activity), found->unsettled);
  return std::nullopt;
}

} // namespace

bool is_as_wished(const activity_vote& before, const put_vote& wanted) {
  if (wanted.wish == vote_wish::withdraw)
    return before.archived;
  return !before.archived && before.upvote == wanted.upvote;
}

refusal no_vote_to_withdraw(const activity& on) {
  return {refusal_code::not_found, "you have no vote on " + text_of(on) + " to withdraw"};
}

void add_keys(const create_reply& command, record_keys& to) {
  to.profiles.insert(command.author);
  to.activities.insert(command.on);
  if (command.parent)
    to.replies.insert(*command.parent);
}
void add_keys(const edit_reply& command, record_keys& to) {
  to.profiles.insert(command.by);
  to.replies.insert(command.id);
}
void add_keys(const put_vote& command, record_keys& to) {
  to.profiles.insert(command.voter);
  to.activities.insert(command.on);
  to.votes.insert({command.on, command.voter});
}

outcome<decided<reply_record, reply_created>> decide(const record_rows& rows, const create_reply& command,
                                                     const settings::people&, timestamp now) {
  if (const auto author = live(rows, command.author); !author)
    return author.why();
  if (auto why = closed(rows, command.on))
    return *std::move(why);
  if (command.parent) {
    const auto* parent = rows.reply(*command.parent);
    if (!parent || parent->on != command.on)
      return refusal{refusal_code::not_found, text_of(*command.parent) + " is no reply to " + text_of(command.on)};
  }
  reply_created change{{reply_id{rows.last().reply.value + 1}, command.author, command.on, command.parent,
                        command.content, command.metadata, now, now, 0, false}};
  decided<reply_record, reply_created> out{change.record, change};
  if (command.dry_run)
    out.answer.id = {};
  return out;
}

outcome<decided<reply_record, reply_edited>> decide(const record_rows& rows, const edit_reply& command,
                                                    const settings::people&, timestamp now) {
  const auto* found = rows.reply(command.id);
  if (!found)
    return refusal{refusal_code::not_found, "there is no " + text_of(command.id)};
  if (found->author != command.by)
    return refusal{refusal_code::forbidden, text_of(command.id) + " is of profile "
                                              + std::to_string(found->author.value)
                                              + "; only its author may change it"};
  if (const auto author = live(rows, command.by); !author)
    return author.why();
  decided<reply_record, reply_edited> out{*found, std::nullopt};
  auto& after = out.answer;
  after.content = command.content.value_or(found->content);
  after.metadata = command.metadata.value_or(found->metadata);
  if (after.content == found->content && after.metadata == found->metadata)
    return out;
  ++after.edits;
  after.updated_at = std::max(now, found->updated_at);
  out.change = reply_edited{command.id, after.content, after.metadata, after.edits, after.updated_at, command.by};
  return out;
}

outcome<decided<activity_vote, activity_voted>> decide(const record_rows& rows, const put_vote& command,
                                                       const settings::people&, timestamp now) {
  if (const auto voter = live(rows, command.voter); !voter)
    return voter.why();
  if (auto why = closed(rows, command.on))
    return *std::move(why);
  const auto* before = rows.vote({command.on, command.voter});
  if (!before && command.wish == vote_wish::withdraw)
    return no_vote_to_withdraw(command.on);
  if (before && is_as_wished(*before, command))
    return decided<activity_vote, activity_voted>{*before, std::nullopt};
  activity_vote after =
    before ? *before : activity_vote{command.on, command.voter, rows.last().vote + 1, command.upvote, false, now, now};
  if (before) {
    after.archived = command.wish == vote_wish::withdraw;
    if (command.wish != vote_wish::withdraw)
      after.upvote = command.upvote;
    after.updated_at = std::max(now, before->updated_at);
  }
  decided<activity_vote, activity_voted> out{after, activity_voted{after, !before}};
  if (command.dry_run && !before)
    out.answer.number = 0;
  return out;
}

} // namespace credence::reputation
