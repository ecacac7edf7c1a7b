#pragma once

#include "auth/rfc3339.hpp"
#include "config/settings.hpp"
#include "http/call/json_body.hpp"
#include "ops/progress.hpp"
#include "persistence/moving/importing.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

/// The parts of `credence import`.
namespace credence::commands {

/// What became of the lines of a file.
struct imported_counts {
  std::int64_t lines = 0;
  std::int64_t made = 0;
  std::int64_t there = 0; // already
  std::int64_t left = 0;  // lines that are not imported by themselves: they come with others, or are not supported
  std::map<std::string, std::int64_t, std::less<>> refused; // by code
  std::int64_t all_refused() const noexcept;
};

/// A line that was refused.
struct refused_line {
  std::string file;
  std::int64_t line = 0;
  std::string code;
  std::string detail; // which value is wrong, and what would be right
};

/// Tells of what becomes of lines.
class import_report {
public:
  explicit import_report(std::function<void(const refused_line&)> told) : told_(std::move(told)) {}
  /// The lines to come are of this file.
  void begin(const std::filesystem::path& file);
  /// They are of a file that was begun before, counted from 0.
  void go_back_to(std::size_t file) noexcept { current_ = file; }
  std::size_t current() const noexcept { return current_; }
  imported_counts& now() noexcept { return files_[current_].second; }
  void refuse(std::int64_t line, const refusal& why);
  const std::vector<std::pair<std::string, imported_counts>>& files() const noexcept { return files_; }
  std::int64_t refused() const noexcept;
  std::int64_t made() const noexcept;

private:
  std::function<void(const refused_line&)> told_;
  std::vector<std::pair<std::string, imported_counts>> files_; // by name
  std::size_t current_ = 0;
};

/// Ids by which lines name each other, and what these are here. Without lines of that kind a name is an id of this
/// service.
class import_names {
public:
  void expect() { given_ = true; }
  /// A name is 1 or more; a line without one names nothing.
  void put(std::int64_t name, std::int32_t id) {
    if (name >= 1)
      ids_[name] = id;
  }
  /// 0: nothing of that name has come.
  std::int32_t of(std::int64_t name) const;
  bool given() const noexcept { return given_; }

private:
  bool given_ = false;
  std::unordered_map<std::int64_t, std::int32_t> ids_;
};

/// Where an empty service is filled, users and accounts keep the ids that they had. Others get those that are next.
class kept_ids {
public:
  void user(const reputation::subject_key& of, std::int32_t id);
  void attestation(const reputation::subject_key& of, std::int32_t id);
  user_id user_for(const reputation::subject_key& of, user_id next);
  std::int32_t attestation_for(const reputation::subject_key& of, std::int32_t next);
  /// Gives the user that a change brings with it, if any, its id.
  void adjust(std::optional<reputation::fresh_subject>& fresh);

private:
  struct numbered {
    std::map<reputation::subject_key, std::int32_t> known;
    std::set<std::int32_t> given;
    std::int32_t last = 0;
    std::int32_t of(const reputation::subject_key& which, std::int32_t next);
  };
  numbered users_;
  numbered attestations_;
};

/// What is archived when everything else is there: whoever is archived writes nothing, and nobody writes to what is.
template <class Question>
struct late_questions {
  struct late {
    std::int64_t line;
    persistence::import_question<Question> asked;
  };
  std::size_t file = 0; // that all lines are of
  std::vector<late> all;

  void add(const import_report& of, std::int64_t line, timestamp at, const Question& question) {
    file = of.current();
    all.push_back({line, {at, question}});
  }
};

/// What all kinds of lines share while they are imported.
struct import_world {
  persistence::import_run& run;
  const settings::people& how;
  import_report& report;
  timestamp now;
  kept_ids kept = {};
  import_names profiles = {};
  import_names users = {}; // profiles of users, by the users' names
  import_names projects = {};
  import_names categories = {};
  import_names chains = {};
  import_names attestations = {};
  import_names reviews = {};
  import_names vouches = {};
  import_names replies = {};

  late_questions<reputation::archive_profile> late_profiles = {};
  late_questions<reputation::archive_attestation> late_attestations = {};
  late_questions<reputation::archive_project> late_projects = {};
  late_questions<reputation::archive_review> late_reviews = {};
};

// -- each kind, by what it is about -------------------------------------------------------------------

void look_at_people(import_world& world, const std::filesystem::path& file);
void look_at_attestations(import_world& world, const std::filesystem::path& file);
void import_people(import_world& world, const std::filesystem::path& file);
void import_addresses(import_world& world, const std::filesystem::path& file);
void import_attestations(import_world& world, const std::filesystem::path& file);
void import_categories(import_world& world, const std::filesystem::path& file);
void import_chains(import_world& world, const std::filesystem::path& file);
void import_projects(import_world& world, const std::filesystem::path& file);
void import_reviews(import_world& world, const std::filesystem::path& file);
void import_vouches(import_world& world, const std::filesystem::path& file);
void import_replies(import_world& world, const std::filesystem::path& file);
void import_activity_votes(import_world& world, const std::filesystem::path& file);
/// Periods are opened as votes come to them, so both files are read at once; either may be empty: there is none.
void import_votes(import_world& world, const std::filesystem::path& periods, const std::filesystem::path& votes);

// -- reading -----------------------------------------------------------------------------------------

/// Calls `take` with each line of a file that is a JSON object; others are refused. Counts them.
void each_line(import_world& world, const std::filesystem::path& file,
               const std::function<void(http::json_body&, std::int64_t line)>& take);
/// The same with where the line begins in the file.
void each_line_at(import_world& world, const std::filesystem::path& file,
                  const std::function<void(http::json_body&, std::int64_t line, std::int64_t offset)>& take);

/// Whether a line was no good, which is told then.
bool refused(import_world& world, const http::json_body& body, std::int64_t line);

/// Reads the line that begins there once more. Throws std::runtime_error where that fails.
void read_line_again(std::ifstream& in, std::int64_t offset, std::string& line);

/// The moment in a member, which must not be to come; an issue where it is none.
timestamp read_moment(import_world& world, http::json_body& body, std::string_view member);
/// The same of one that may be absent or null.
std::optional<timestamp> read_moment_if_any(import_world& world, http::json_body& body, std::string_view member);
/// What a member names; an issue where it is absent or nothing of that name has come.
std::int32_t read_name(http::json_body& body, std::string_view member, const import_names& among,
                       std::string_view what);
/// The subject in the member `subject`: a wallet or an account by its id, and where profiles may be meant a profile.
reputation::named_subject read_named_subject(import_world& world, http::json_body& body, bool profiles_too);

/// Lines of one kind that wait to be decided together.
template <class Question>
class import_batch {
public:
  using decision = persistence::import_decision<Question>;
  using change = persistence::import_change<Question>;
  struct item {
    std::int64_t line;
    persistence::import_question<Question> asked;
    std::function<void(change&)> adjust = {};
    std::function<void(const decision&, bool made)> then = {};
  };

  explicit import_batch(import_world& world) : world_(world) {}
  void add(item fresh) {
    items_.push_back(std::move(fresh));
    if (items_.size() == together)
      flush();
  }
  void flush() {
    std::vector<persistence::import_question<Question>> asked;
    for (const auto& each : items_)
      asked.push_back(each.asked);
    const auto decided =
      persistence::decide_all<Question>(world_.run, world_.how, asked, [this](std::size_t at, change& to) {
        if (items_[at].adjust)
          items_[at].adjust(to);
      });
    const auto items = std::exchange(items_, {});
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!decided[i]) {
        world_.report.refuse(items[i].line, decided[i].why());
        continue;
      }
      const bool made = decided[i]->change.has_value();
      if (counts)
        ++(made ? world_.report.now().made : world_.report.now().there);
      if (items[i].then)
        items[i].then(*decided[i], made);
    }
  }
  std::size_t waiting() const noexcept { return items_.size(); }

  bool counts = true; // what is decided here is what its line is about

private:
  static constexpr std::size_t together = 200;
  import_world& world_;
  std::vector<item> items_;
};

/// Asks what was left for the end.
template <class Question>
void ask_late(import_world& world, const late_questions<Question>& which) {
  if (which.all.empty())
    return;
  world.report.go_back_to(which.file);
  import_batch<Question> batch{world};
  batch.counts = false;
  for (const auto& each : which.all)
    batch.add({each.line, each.asked});
  batch.flush();
}

} // namespace credence::commands
