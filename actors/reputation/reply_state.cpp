#include "actors/reputation/reply_state.hpp"

#include <algorithm>

namespace credence::reputation {

namespace {

std::string text_of(const activity& what) { return std::string{name_of(what.kind)} + " " + std::to_string(what.id); }
std::string text_of(reply_id which) { return "reply " + std::to_string(which.value); }

/// Why nothing may be done about an activity, if so.
std::optional<refusal> closed(const record_rows& rows, const activity& what) {
  const auto* found = rows.find(what);
  if (!found)
    return refusal{refusal_code::not_found, "there is no " + text_of(what)};
  if (found->archived)
    return refusal{refusal_code::record_archived, text_of(what) + " is archived; only live ones take replies and votes"};
  return std::nullopt;
}

} // namespace

void add_keys(const create_reply& asked, record_keys& to) {
  to.profiles.insert(asked.author);
  to.activities.insert(asked.on);
  if (asked.parent)
    to.replies.insert(*asked.parent);
}
void add_keys(const edit_reply& asked, record_keys& to) {
  to.profiles.insert(asked.by);
  to.replies.insert(asked.id);
}
void add_keys(const put_vote& asked, record_keys& to) {
  to.profiles.insert(asked.voter);
  to.activities.insert(asked.on);
  to.votes.insert({asked.on, asked.voter});
}

outcome<decided<reply_record, reply_created>> decide(const record_rows& rows, const create_reply& asked, const settings::people&, timestamp now) {
  if (const auto author = live(rows, asked.author); !author)
    return author.why();
  if (auto why = closed(rows, asked.on))
    return *std::move(why);
  if (asked.parent) {
    const auto* parent = rows.reply(*asked.parent);
    if (!parent || parent->on != asked.on)
      return refusal{refusal_code::not_found, text_of(*asked.parent) + " is no reply to " + text_of(asked.on)};
  }
  reply_created change{
    {reply_id{rows.last().reply.value + 1}, asked.author, asked.on, asked.parent, asked.content, asked.metadata, now, now, 0, false}};
  decided<reply_record, reply_created> out{change.what, change};
  if (asked.dry_run)
    out.answer.id = {};
  return out;
}

outcome<decided<reply_record, reply_edited>> decide(const record_rows& rows, const edit_reply& asked, const settings::people&, timestamp now) {
  const auto* found = rows.reply(asked.id);
  if (!found)
    return refusal{refusal_code::not_found, "there is no " + text_of(asked.id)};
  if (found->author != asked.by)
    return refusal{refusal_code::forbidden,
                   text_of(asked.id) + " is of profile " + std::to_string(found->author.value) + "; only its author may change it"};
  if (const auto author = live(rows, asked.by); !author)
    return author.why();
  decided<reply_record, reply_edited> out{*found, std::nullopt};
  auto& after = out.answer;
  after.content = asked.content.value_or(found->content);
  after.metadata = asked.metadata.value_or(found->metadata);
  if (after.content == found->content && after.metadata == found->metadata)
    return out;
  ++after.edits;
  after.updated_at = std::max(now, found->updated_at);
  out.change = reply_edited{asked.id, after.content, after.metadata, after.edits, after.updated_at, asked.by};
  return out;
}

outcome<decided<activity_vote, activity_voted>> decide(const record_rows& rows, const put_vote& asked, const settings::people&, timestamp now) {
  if (const auto voter = live(rows, asked.voter); !voter)
    return voter.why();
  if (auto why = closed(rows, asked.on))
    return *std::move(why);
  const auto* before = rows.vote({asked.on, asked.voter});
  activity_vote after = before ? *before : activity_vote{asked.on, asked.voter, rows.last().vote + 1, asked.upvote, false, now, now};
  if (before) {
    after.archived = !before->archived && before->upvote == asked.upvote; // the same direction again
    after.upvote = asked.upvote;
    after.updated_at = std::max(now, before->updated_at);
  }
  decided<activity_vote, activity_voted> out{after, activity_voted{after, !before}};
  if (asked.dry_run && !before)
    out.answer.number = 0;
  return out;
}

} // namespace credence::reputation
