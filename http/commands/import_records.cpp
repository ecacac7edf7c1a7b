#include "actors/domain/hash.hpp"
#include "actors/people/people_index.hpp"
#include "actors/reputation/record_rules.hpp"
#include "http/api/discussions/discussions.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/reviews/reviews.hpp"
#include "http/api/vouches/vouches.hpp"
#include "http/commands/importing.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

// Reviews, vouches, replies and votes on them.
namespace credence::commands {

using namespace reputation;
using http::json_body;
using persistence::record_mark;

namespace {

using mark_finder = std::vector<std::int32_t> (*)(persistence::import_run&, const std::vector<record_mark>&);

/// Records that may be there already, by what tells them from others.
template <class Question>
class marked_records {
public:
  using item = typename import_batch<Question>::item;

  marked_records(import_world& world, mark_finder find, import_names& names)
    : world_(world), find_(find), names_(names), batch_(world) {}

  /// `then` hears of a record that was made.
  void add(record_mark mark, std::int64_t name, item fresh) {
    waiting_.push_back({std::move(mark), name, std::move(fresh)});
    if (waiting_.size() == together)
      flush();
  }
  void flush() {
    std::vector<record_mark> marks;
    for (const auto& each : waiting_)
      marks.push_back(each.mark);
    const auto stored =
      world_.run.was_empty() || marks.empty() ? std::vector<std::int32_t>(marks.size(), 0) : find_(world_.run, marks);
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      auto& each = waiting_[i];
      const auto [seen, fresh] = seen_.try_emplace(each.mark, stored[i]);
      if (!fresh || stored[i] != 0) {
        ++world_.report.now().there;
        if (seen->second != 0)
          names_.put(each.name, seen->second);
        continue;
      }
      batch_.add(std::move(each.fresh));
    }
    waiting_.clear();
    batch_.flush();
  }

private:
  static constexpr std::size_t together = 200;
  struct waiting {
    record_mark mark;
    std::int64_t name;
    item fresh;
  };
  import_world& world_;
  mark_finder find_;
  import_names& names_;
  import_batch<Question> batch_;
  std::vector<waiting> waiting_;
  std::map<record_mark, std::int32_t> seen_;
};

std::string hex_of(const subject_key& key) {
  std::string out;
  append_hex(out, key.bytes());
  return out;
}

profile_id read_author(import_world& world, json_body& body, std::string_view member = "authorProfileId") {
  return profile_id{read_name(body, member, world.profiles, "profile")};
}

std::int32_t read_edits(json_body& body) {
  const auto edits = body.integer("edits").value_or(0);
  if (edits < 0 || edits > limits::id_max)
    body.issue("edits must not be negative");
  return static_cast<std::int32_t>(edits);
}

/// What comes after a moment, or with it.
void check_order(json_body& body, timestamp first, timestamp second, std::string_view member) {
  if (body.good() && second < first)
    body.issue(std::string{member} + " must not be before createdAt");
}

template <class Question>
void decide_at_once(import_world& world, std::int64_t line, timestamp at, const Question& question) {
  import_batch<Question> batch{world};
  batch.counts = false;
  batch.add({line, {at, question}});
  batch.flush();
}

/// `targetType` and `targetId`, by their names here.
activity read_target(import_world& world, json_body& body) {
  activity out;
  out.kind = static_cast<activity_kind>(http::read_one_of(body, "targetType", activity_kind_names));
  const import_names own;
  const auto& among = out.kind == activity_kind::review        ? world.reviews
                      : out.kind == activity_kind::vouch       ? world.vouches
                      : out.kind == activity_kind::project     ? world.projects
                      : out.kind == activity_kind::attestation ? world.attestations
                      : out.kind == activity_kind::discussion  ? world.replies
                                                               : own;
  if (body.good())
    out.id = read_name(body, "targetId", among, name_of(out.kind));
  return out;
}

} // namespace

void import_reviews(import_world& world, const std::filesystem::path& file) {
  world.reviews.expect();
  marked_records<create_review> records{world, persistence::stored_reviews, world.reviews};
  each_line(world, file, [&](json_body& body, std::int64_t line) {
    const auto name = body.integer("id").value_or(0);
    create_review order;
    order.author = read_author(world, body);
    order.subject = read_named_subject(world, body, false);
    http::read_review_words(body, order);
    const auto at = read_moment(world, body, "createdAt");
    const auto updated = read_moment_if_any(world, body, "updatedAt").value_or(at);
    check_order(body, at, updated, "updatedAt");
    const auto edits = read_edits(body);
    const bool archived = body.boolean("archived").value_or(false);
    const bool taken_down = body.boolean("takenDown").value_or(false);
    if (refused(world, body, line))
      return;
    records.add({order.author, hex_of(order.subject.key), at}, name,
                {line,
                 {at, order},
                 [&world](review_created& to) { world.kept.adjust(to.subject); },
                 [&world, line, name, edits, updated, archived, taken_down](const auto& decision, bool) {
                   const auto& record = decision.change->record;
                   world.reviews.put(name, record.id.value);
                   if (edits > 0) {
                     const review_edited edited{record.id, record.comment, record.metadata,
                                                edits,     updated,        record.author};
                     world.run.write(std::span<const review_edited>{&edited, 1});
                   }
                   if (archived || taken_down) {
                     const auto by = taken_down ? profile_id{} : record.author;
                     world.late_reviews.add(world.report, line, updated, {record.id, by, !by});
                   }
                 }});
  });
  records.flush();
}

void import_vouches(import_world& world, const std::filesystem::path& file) {
  world.vouches.expect();
  marked_records<create_vouch> records{world, persistence::stored_vouches, world.vouches};
  each_line(world, file, [&](json_body& body, std::int64_t line) {
    const auto name = body.integer("id").value_or(0);
    const auto read_wei = [&body](std::string_view member) {
      const auto amount = parse_wei(body.text(member).value_or(""));
      if (!amount)
        body.issue(std::string{member} + " must be a whole number of wei as a text, such as \"5000000000000000\"");
      return amount.value_or(wei{0});
    };
    create_vouch order;
    order.author = read_author(world, body);
    order.subject = read_named_subject(world, body, true);
    order.token = static_cast<vouch_token>(http::read_one_of(body, "token", vouch_token_names));
    order.amount = read_wei("stakedWei");
    const auto balance = read_wei("balanceWei");
    http::read_vouch_words(body, order);
    const auto at = read_moment(world, body, "createdAt");
    const auto ended = read_moment_if_any(world, body, "endedAt");
    const auto unhealthy = read_moment_if_any(world, body, "unhealthyAt");
    check_order(body, at, ended.value_or(at), "endedAt");
    if (body.good() && (order.amount == 0 || balance > order.amount || (!ended && balance == 0)))
      body.issue("stakedWei must be more than 0, and balanceWei of an active vouch from 1 to that, not "
                 + decimal(balance) + " of " + decimal(order.amount));
    if (refused(world, body, line))
      return;
    // One that has ended makes room for the next of its author and subject.
    records.add(
      {order.author,
       hex_of(order.subject.key) + "/" + std::string{vouch_token_names[static_cast<std::size_t>(order.token)]}, at},
      name,
      {line,
       {at, order},
       [&world](vouch_created& to) {
         world.kept.adjust(to.subject);
         if (to.subject && to.subject->new_user)
           to.record.subject_user = to.subject->user;
       },
       [&world, line, name, balance, ended, unhealthy](const auto& decision, bool) {
         const auto& record = decision.change->record;
         world.vouches.put(name, record.id.value);
         const auto at_once = record.vouched_at;
         if (!ended && balance < record.staked)
           decide_at_once(
             world, line, at_once,
             move_vouch{record.id, record.author, vouch_move::decrease, record.staked - balance, record.token});
         if (ended)
           decide_at_once(world, line, *ended,
                          move_vouch{record.id, record.author, vouch_move::withdraw, 0, record.token});
         if (ended && unhealthy)
           decide_at_once(world, line, *unhealthy, mark_unhealthy{record.id, record.author});
       }});
    if (ended)
      records.flush();
  });
  records.flush();
}

void import_replies(import_world& world, const std::filesystem::path& file) {
  world.replies.expect();
  marked_records<create_reply> records{world, persistence::stored_replies, world.replies};
  each_line(world, file, [&](json_body& body, std::int64_t line) {
    const auto name = body.integer("id").value_or(0);
    create_reply order;
    const bool answers = body.kind_of("parentId") == json_body::kind::integer;
    if (answers || body.text("targetType") == "discussion") // the reply that it is to must be there
      records.flush();
    order.author = read_author(world, body);
    order.on = read_target(world, body);
    if (answers)
      order.parent = reply_id{read_name(body, "parentId", world.replies, "reply")};
    http::read_reply_words(body, order);
    const auto at = read_moment(world, body, "createdAt");
    const auto updated = read_moment_if_any(world, body, "updatedAt").value_or(at);
    check_order(body, at, updated, "updatedAt");
    const auto edits = read_edits(body);
    if (refused(world, body, line))
      return;
    records.add({order.author, std::string{name_of(order.on.kind)} + "/" + std::to_string(order.on.id), at}, name,
                {line, {at, order}, {}, [&world, name, edits, updated](const auto& decision, bool) {
                   const auto& record = decision.change->record;
                   world.replies.put(name, record.id.value);
                   if (edits > 0) {
                     const reply_edited edited{record.id, record.content, record.metadata,
                                               edits,     updated,        record.author};
                     world.run.write(std::span<const reply_edited>{&edited, 1});
                   }
                 }});
  });
  records.flush();
}

void import_activity_votes(import_world& world, const std::filesystem::path& file) {
  import_batch<put_vote> batch{world};
  each_line(world, file, [&](json_body& body, std::int64_t line) {
    put_vote order;
    order.voter = read_author(world, body, "profileId");
    order.on = read_target(world, body);
    order.upvote = http::required_flag(body, "isUpvote");
    const auto at = read_moment(world, body, "createdAt");
    const auto updated = read_moment_if_any(world, body, "updatedAt").value_or(at);
    check_order(body, at, updated, "updatedAt");
    const bool archived = body.boolean("archived").value_or(false);
    if (refused(world, body, line))
      return;
    if (!world.run.was_empty()
        && !world.run.on()
              .exec_params(
                "SELECT FROM activity_votes WHERE kind = $1::text AND target_id = $2::int4 AND voter = $3::int4",
                persistence::parameters{}.text(name_of(order.on.kind)).int4(order.on.id).int4(order.voter.value),
                world.run.deadline())
              .empty()) {
      ++world.report.now().there;
      return;
    }
    batch.add({line, {at, order}, [archived, updated](activity_voted& to) {
                 if (!to.first)
                   return;
                 to.vote.archived = archived;
                 to.vote.updated_at = updated;
               }});
  });
  batch.flush();
}

// Voting periods, and the votes that were cast in them.

using http::json_body;
using persistence::imported_vote;
using persistence::imported_votes;

namespace {

constexpr std::size_t votes_together = 5000;

/// Where the votes of a period stand in the file.
struct line_place {
  std::int64_t offset;
  std::int64_t line;
};

class votes_import {
public:
  explicit votes_import(import_world& world) : world_(world), votes_(world.run) {}

  void periods(const std::filesystem::path& file) {
    world_.report.begin(file);
    each_line(world_, file, [this](json_body& body, std::int64_t line) { take_period(body, line); });
  }

  /// Reads which votes are of which period, then casts those of each period while it is open.
  void votes(const std::filesystem::path& file) {
    world_.report.begin(file);
    find(file);
    std::ifstream in{file, std::ios::binary};
    for (const auto& [id, places] : places_) {
      for (const auto& [fresh, each] : fresh_)
        if (fresh <= id)
          open(each);
      for (const auto& place : places)
        take_vote(in, place, id);
      flush();
    }
  }

  /// Periods that nobody voted in, and what totals are made from.
  void finish() {
    for (const auto& [id, each] : fresh_)
      open(each);
    votes_.finish();
  }

private:
  void take_period(json_body& body, std::int64_t line) {
    period::voting_period each;
    each.id =
      period_id{static_cast<std::int32_t>(std::clamp<std::int64_t>(body.integer("id").value_or(0), 0, limits::id_max))};
    each.year =
      static_cast<std::int32_t>(std::clamp<std::int64_t>(body.integer("year").value_or(0), 0, limits::id_max));
    each.number =
      static_cast<std::int32_t>(std::clamp<std::int64_t>(body.integer("period").value_or(0), 0, limits::id_max));
    each.starts_at = read_moment(world_, body, "startsAt");
    const auto ends = body.text("endsAt");
    if (body.good()) { // as planned, so it may be to come
      if (const auto moment = ends ? auth::parse_rfc3339(*ends) : std::nullopt; moment && *moment > each.starts_at)
        each.ends_at = *moment;
      else
        body.issue("endsAt must be a moment behind startsAt");
    }
    if (refused(world_, body, line))
      return;
    const auto& known = votes_.periods().periods;
    const auto same = [&](const auto& other) {
      return other.id == each.id && other.year == each.year && other.number == each.number;
    };
    if (std::any_of(known.begin(), known.end(), same)) {
      ++world_.report.now().there;
      return;
    }
    const auto* last = fresh_.empty() ? known.empty() ? nullptr : &known.back() : &fresh_.rbegin()->second;
    const period::voting_period none;
    const auto& before = last ? *last : none;
    if (each.id.value != before.id.value + 1
        || std::pair{each.year, each.number} <= std::pair{before.year, before.number} || each.year < 1970
        || each.year > 9999 || each.number < 1 || (last && each.starts_at < before.starts_at)) {
      world_.report.refuse(
        line, {refusal_code::invalid_input, "period " + std::to_string(each.id.value) + " (" + std::to_string(each.year)
                                              + "/" + std::to_string(each.number) + ") does not follow period "
                                              + std::to_string(before.id.value) + " (" + std::to_string(before.year)
                                              + "/" + std::to_string(before.number) + "), the last one here"});
      return;
    }
    fresh_.emplace(each.id, each);
    ++world_.report.now().made;
  }

  void open(const period::voting_period& which) {
    if (votes_.periods().periods.empty() || votes_.periods().current().id < which.id)
      votes_.open(which);
  }

  /// The period of that year and number, here or to come; 0: there is none.
  period_id period_of(std::int64_t year, std::int64_t number) const {
    const auto same = [&](const period::voting_period& each) { return each.year == year && each.number == number; };
    for (const auto& each : votes_.periods().periods)
      if (same(each))
        return each.id;
    for (const auto& [id, each] : fresh_)
      if (same(each))
        return id;
    return {};
  }

  void find(const std::filesystem::path& file) {
    each_line_at(world_, file, [this](json_body& body, std::int64_t line, std::int64_t offset) {
      const auto year = body.integer("year");
      const auto number = body.integer("period");
      if (!year || !number) {
        if (body.good())
          body.issue("year and period are required: those of the voting period");
        world_.report.refuse(line, body.why());
        return;
      }
      const auto in = period_of(*year, *number);
      if (in)
        places_[in].push_back({offset, line});
      else
        world_.report.refuse(line, {refusal_code::not_found,
                                    "there is no voting period " + std::to_string(*year) + "/" + std::to_string(*number)
                                      + "; it has to be here, or among the periods that are imported"});
    });
  }

  void take_vote(std::ifstream& in, const line_place& place, period_id id) {
    read_line_again(in, place.offset, text_);
    auto body = json_body::parse(text_);
    if (!body) { // it was read before
      world_.report.refuse(place.line, body.why());
      return;
    }
    imported_vote each;
    each.in = id;
    each.vote.project = project_id{read_name(*body, "projectId", world_.projects, "project")};
    each.vote.voter = profile_id{read_name(*body, "profileId", world_.profiles, "profile")};
    http::v2::read_ballot(*body, each.vote);
    each.at = read_moment(world_, *body, "castAt");
    if (const auto next = fresh_.upper_bound(id); next != fresh_.end() && each.at >= next->second.starts_at)
      body->issue("castAt is behind the voting period, as the next one began at " + iso_text(next->second.starts_at));
    if (const auto weight = body->integer("weight")) {
      if (*weight < 0 || *weight > weight_max_)
        body->issue("weight must be from 0 to " + std::to_string(weight_max_) + ", not " + std::to_string(*weight));
      each.weight = static_cast<std::int32_t>(*weight);
    }
    if (!body->good()) {
      world_.report.refuse(place.line, body->why());
      return;
    }
    waiting_.push_back(std::move(each));
    lines_.push_back(place.line);
    if (waiting_.size() == votes_together)
      flush();
  }

  void flush() {
    const auto cast = votes_.cast(waiting_);
    for (std::size_t i = 0; i < cast.size(); ++i)
      if (!cast[i])
        world_.report.refuse(lines_[i], cast[i].why());
      else
        ++(*cast[i] ? world_.report.now().made : world_.report.now().there);
    waiting_.clear();
    lines_.clear();
  }

  const std::int64_t weight_max_ =
    people::vote_weight_of(std::numeric_limits<std::int32_t>::max()); // of the highest level

  import_world& world_;
  imported_votes votes_;
  std::map<period_id, period::voting_period> fresh_;
  std::map<period_id, std::vector<line_place>> places_;
  std::vector<imported_vote> waiting_;
  std::vector<std::int64_t> lines_;
  std::string text_;
};

} // namespace

void import_votes(import_world& world, const std::filesystem::path& periods, const std::filesystem::path& votes) {
  votes_import both{world};
  if (!periods.empty())
    both.periods(periods);
  if (!votes.empty())
    both.votes(votes);
  both.finish();
}

} // namespace credence::commands
