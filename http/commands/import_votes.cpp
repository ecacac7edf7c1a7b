// Voting periods, and the votes that were cast in them.
#include "actors/people/people_state.hpp"
#include "http/api/projects/questions.hpp"
#include "http/commands/importing.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

namespace credence::commands {

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
    if (!body.good()) {
      world_.report.refuse(line, body.why());
      return;
    }
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
