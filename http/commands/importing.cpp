#include "http/commands/importing.hpp"

#include "actors/reputation/record_rules.hpp"
#include "auth/rfc3339.hpp"
#include "http/api/reviews/reviews.hpp"
#include "http/call/errors.hpp"
#include "http/call/parameters.hpp"
#include "http/call/userkey.hpp"
#include "http/commands/command.hpp"

#include <simdjson.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <numeric>

namespace credence::commands {

using http::json_body;

namespace {

constexpr std::size_t line_length_max = 1024 * 1024;

} // namespace

std::int64_t imported_counts::all_refused() const noexcept {
  return std::accumulate(refused.begin(), refused.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& each) { return sum + each.second; });
}

void import_report::begin(const std::filesystem::path& file) {
  current_ = files_.size();
  files_.emplace_back(file.filename().string(), imported_counts{});
}

void import_report::refuse(std::int64_t line, const refusal& why) {
  std::string detail = why.detail;
  for (const auto& issue : why.issues)
    if (detail.find(issue) == std::string::npos)
      detail.append("; ").append(issue);
  const std::string code{http::kind_of(why.code).code};
  ++now().refused[code];
  told_({files_[current_].first, line, code, std::move(detail)});
}

std::int64_t import_report::refused() const noexcept {
  return std::accumulate(files_.begin(), files_.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& each) { return sum + each.second.all_refused(); });
}

std::int64_t import_report::made() const noexcept {
  return std::accumulate(files_.begin(), files_.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& each) { return sum + each.second.made; });
}

std::int32_t import_names::of(std::int64_t name) const {
  if (!given_)
    return name >= 1 && name <= limits::id_max ? static_cast<std::int32_t>(name) : 0;
  const auto found = ids_.find(name);
  return found == ids_.end() ? 0 : found->second;
}

// -- ids that are kept ------------------------------------------------------------------------------

void kept_ids::user(const reputation::subject_key& of, std::int32_t id) {
  users_.known[of] = id;
  users_.last = std::max(users_.last, id);
}

void kept_ids::attestation(const reputation::subject_key& of, std::int32_t id) {
  attestations_.known[of] = id;
  attestations_.last = std::max(attestations_.last, id);
}

std::int32_t kept_ids::numbered::of(const reputation::subject_key& which, std::int32_t next) {
  if (last == 0) // none is kept
    return next;
  const auto found = known.find(which);
  if (found == known.end())
    return ++last;
  return given.insert(found->second).second ? found->second : ++last;
}

user_id kept_ids::user_for(const reputation::subject_key& of, user_id next) {
  return user_id{users_.of(of, next.value)};
}
std::int32_t kept_ids::attestation_for(const reputation::subject_key& of, std::int32_t next) {
  return attestations_.of(of, next);
}

void kept_ids::adjust(std::optional<reputation::fresh_subject>& fresh) {
  if (!fresh || !fresh->new_user)
    return;
  fresh->user = user_for(fresh->name.key, fresh->user);
  if (fresh->new_user->attestation)
    fresh->new_user->attestation = attestation_for(fresh->name.key, fresh->new_user->attestation);
}

// -- reading ----------------------------------------------------------------------------------------

bool refused(import_world& world, const json_body& body, std::int64_t line) {
  if (!body.good())
    world.report.refuse(line, body.why());
  return !body.good();
}

void each_line_at(import_world& world, const std::filesystem::path& file,
                  const std::function<void(json_body&, std::int64_t line, std::int64_t offset)>& take) {
  std::ifstream in{file, std::ios::binary};
  if (!in)
    throw std::runtime_error("cannot read " + file.string());
  std::string line;
  std::int64_t offset = 0;
  for (std::int64_t number = 1; std::getline(in, line); ++number) {
    const auto at = std::exchange(offset, offset + static_cast<std::int64_t>(line.size()) + 1);
    ++world.report.now().lines;
    if (line.size() > line_length_max) {
      world.report.refuse(number, {refusal_code::invalid_input, "the line has " + std::to_string(line.size())
                                                                  + " bytes; at most " + std::to_string(line_length_max)
                                                                  + " are read"});
      continue;
    }
    auto body = json_body::parse(line);
    if (!body)
      world.report.refuse(number, body.why());
    else
      take(*body, number, at);
  }
}

void read_line_again(std::ifstream& in, std::int64_t offset, std::string& line) {
  in.clear(); // the last line may have no end, which is told as the end of the file
  if (in.tellg() != offset)
    in.seekg(offset);
  if (!std::getline(in, line))
    throw std::runtime_error("a file that is imported has changed meanwhile");
}

void each_line(import_world& world, const std::filesystem::path& file,
               const std::function<void(json_body&, std::int64_t line)>& take) {
  each_line_at(world, file, [&](json_body& body, std::int64_t line, std::int64_t) { take(body, line); });
}

std::optional<timestamp> read_moment_if_any(import_world& world, json_body& body, std::string_view member) {
  const auto text = body.text(member);
  if (!text)
    return std::nullopt;
  const auto moment = auth::parse_rfc3339(*text);
  if (!moment)
    body.issue(std::string{member} + " must be a moment such as 2026-03-01T12:00:00Z, not " + http::shown(*text));
  else if (*moment > world.now)
    body.issue(std::string{member} + " must not be to come, as " + http::shown(*text) + " is");
  return moment;
}

timestamp read_moment(import_world& world, json_body& body, std::string_view member) {
  const auto moment = read_moment_if_any(world, body, member);
  if (!moment && body.good())
    body.issue(std::string{member} + " is required: a moment such as 2026-03-01T12:00:00Z");
  return moment.value_or(timestamp{});
}

std::int32_t read_name(json_body& body, std::string_view member, const import_names& among, std::string_view what) {
  const auto name = body.integer(member);
  if (!name) {
    if (body.good())
      body.issue(std::string{member} + " is required: the id of a " + std::string{what});
    return 0;
  }
  const auto id = among.of(*name);
  if (id == 0)
    body.issue(std::string{member} + " names " + std::string{what} + " " + std::to_string(*name)
               + (among.given() ? ", which is not among those that were imported before" : ", which is no id"));
  return id;
}

reputation::named_subject read_named_subject(import_world& world, json_body& body, bool profiles_too) {
  const auto key = http::read_subject(body);
  if (!body.good())
    return {};
  if (profiles_too && key.how == people::lookup_key::form::profile) {
    const auto id = world.profiles.of(key.number);
    if (id == 0)
      body.issue("subject names profile " + std::to_string(key.number)
                 + ", which is not among those that were imported before");
    return {reputation::subject_key{profile_id{id}}, std::nullopt};
  }
  if (!http::names_itself(key)) {
    body.issue("subject must be an address or an account by its id, such as address:0x… or service:x.com:<id>"
               + std::string{profiles_too ? ", or a profile, such as profileId:7" : ""});
    return {};
  }
  auto subject = http::record_subject_of(key, nullptr);
  if (!subject) {
    body.issue("subject: " + subject.why().detail);
    return {};
  }
  return *std::move(subject);
}

namespace {

namespace fs = std::filesystem;

/// A kind of lines that is imported by itself, and what reads them.
struct imported_kind {
  std::string_view entity;
  void (*take)(import_world&, const fs::path&);
};

constexpr std::string_view people_entity = "people";
constexpr std::string_view attestations_entity = "attestations";
constexpr std::string_view periods_entity = "periods";
constexpr std::string_view votes_entity = "votes";
/// In the order in which they need each other. Periods and votes are read together behind the first ones.
constexpr std::array before_votes{
  imported_kind{people_entity, import_people},
  imported_kind{"addresses", import_addresses},
  imported_kind{attestations_entity, import_attestations},
  imported_kind{"categories", import_categories},
  imported_kind{"chains", import_chains},
  imported_kind{"projects", import_projects},
};
constexpr std::array behind_votes{
  imported_kind{"reviews", import_reviews},
  imported_kind{"vouches", import_vouches},
  imported_kind{"replies", import_replies},
  imported_kind{"activity-votes", import_activity_votes},
};

bool is_imported(std::string_view entity) {
  const auto named = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(), [&](const auto& each) { return each.entity == entity; });
  };
  return named(before_votes) || named(behind_votes) || entity == periods_entity || entity == votes_entity;
}

std::string imported_words() {
  std::string out;
  const auto add = [&out](std::string_view name) { out.append(out.empty() ? "" : ", ").append(name); };
  for (const auto& each : before_votes)
    add(each.entity);
  add(periods_entity);
  add(votes_entity);
  for (const auto& each : behind_votes)
    add(each.entity);
  return out;
}

/// What is to be read, by entity, and what lies beside it and is not.
struct import_sources {
  std::map<std::string, fs::path, std::less<>> files;
  std::vector<std::string> left_out;

  fs::path of(std::string_view entity) const {
    const auto found = files.find(entity);
    return found == files.end() ? fs::path{} : found->second;
  }
};

void add_file(import_sources& to, const fs::path& file, bool named) {
  const auto entity = file.stem().string();
  const bool lines = file.extension() == ".ndjson";
  if (lines && is_imported(entity)) {
    if (!to.files.emplace(entity, file).second)
      throw ending{usage, "there are two files of " + entity + "; import one after the other"};
  } else if (named) {
    throw ending{usage, file.string()
                          + " is not imported: a file is called as an entity that is, with .ndjson behind it ("
                          + imported_words() + ")"};
  } else if (file.filename() != "manifest.json") {
    to.left_out.push_back(file.filename().string());
  }
}

/// An export that was cut off lacks rows that others name.
void must_be_whole(const fs::path& directory) {
  const auto manifest = directory / "manifest.json";
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  bool complete = true;
  if (fs::exists(manifest) && !parser.load(manifest.string()).get(root) && !root["complete"].get(complete) && !complete)
    throw ending{usage, "the export in " + directory.string()
                          + " is not whole; finish it with credence export --resume --to " + directory.string()};
}

import_sources sources_of(const command_line& line) {
  import_sources out;
  for (const auto& each : line.moved.sources) {
    if (!fs::exists(each))
      throw ending{usage, "there is no " + each};
    if (!fs::is_directory(each)) {
      add_file(out, each, true);
      continue;
    }
    must_be_whole(each);
    for (const auto& file : fs::directory_iterator{each})
      if (file.is_regular_file())
        add_file(out, file.path(), false);
  }
  if (out.files.empty())
    throw ending{usage, "there is nothing to import; files are called as entities, with .ndjson behind them ("
                          + imported_words() + ")"};
  std::sort(out.left_out.begin(), out.left_out.end());
  return out;
}

/// Reads which ids users and accounts had, where they can have them again.
kept_ids read_kept_ids(persistence::import_run& run, const settings::people& how, const import_sources& from,
                       timestamp now) {
  import_report silent{[](const refused_line&) {}};
  import_world looking{.run = run, .how = how, .report = silent, .now = now};
  if (!run.was_empty())
    return {};
  for (const auto& each :
       {imported_kind{people_entity, look_at_people}, imported_kind{attestations_entity, look_at_attestations}})
    if (const auto file = from.of(each.entity); !file.empty()) {
      silent.begin(file);
      each.take(looking, file);
    }
  return std::move(looking.kept);
}

void take_all(import_world& world, const import_sources& from, ops::progress& told) {
  const auto take = [&](const auto& kinds) {
    for (const auto& each : kinds)
      if (const auto file = from.of(each.entity); !file.empty()) {
        told.begin(std::string{each.entity}, static_cast<double>(fs::file_size(file)));
        world.report.begin(file);
        each.take(world, file);
      }
  };
  take(before_votes);
  const auto periods = from.of(periods_entity);
  const auto votes = from.of(votes_entity);
  if (!periods.empty() || !votes.empty()) {
    told.begin("votes", votes.empty() ? 1 : static_cast<double>(fs::file_size(votes)));
    import_votes(world, periods, votes);
  }
  take(behind_votes);
  ask_late(world, world.late_reviews); // before their authors are archived
  ask_late(world, world.late_attestations);
  ask_late(world, world.late_projects);
  ask_late(world, world.late_profiles);
}

void print(const import_report& report, const import_sources& from, const char* end) {
  std::cout << "file\tlines\timported\tthere already\tleft\trefused\n";
  for (const auto& [file, counts] : report.files())
    std::cout << file << "\t" << counts.lines << "\t" << counts.made << "\t" << counts.there << "\t" << counts.left
              << "\t" << counts.all_refused() << "\n";
  std::map<std::string, std::int64_t> codes;
  for (const auto& [file, counts] : report.files())
    for (const auto& [code, count] : counts.refused)
      codes[code] += count;
  for (const auto& [code, count] : codes)
    std::cout << "refused with " << code << ": " << count << "\n";
  for (const auto& each : from.left_out)
    std::cout << "not imported: " << each << "\n";
  std::cout << end << "\n";
}

/// What an operator did, in the transaction that does it.
void audit_import(persistence::connection& on, const import_report& report, timestamp now) {
  std::string what;
  for (const auto& [file, counts] : report.files())
    if (counts.made > 0)
      what.append(what.empty() ? "" : ", ").append(std::to_string(counts.made)).append(" of ").append(file);
  audit_by_operator(on, {now, "imported", std::nullopt, what});
}

} // namespace

int import_all(const command_line& line) {
  const auto from = sources_of(line);
  const auto with = good_settings(line);
  auto on = connect(with, "import");
  const auto now = system_now();
  auto told = progress_of(line, "import");
  import_report report{[](const refused_line& refused) {
    std::cout << "refused " << refused.file << ":" << refused.line << " " << refused.code << " " << refused.detail
              << "\n";
  }};
  persistence::import_run run{on, persistence::deadline_in(std::chrono::hours{24})};
  if (const auto why = run.hindrance())
    throw ending{failed, "nothing can be imported: " + *why};
  import_world world{.run = run, .how = with.people, .report = report, .now = now};
  world.kept = read_kept_ids(run, with.people, from, now);
  take_all(world, from, told);
  const bool refused = report.refused() > 0;
  if (line.moved.dry_run) {
    print(report, from, "this was a dry run: nothing was changed");
    return refused && !line.moved.skip_refused ? failed : ok;
  }
  if (refused && !line.moved.skip_refused) {
    print(report, from, "nothing was imported, as lines were refused; --skip-refused imports the others");
    return failed;
  }
  if (report.made() == 0) {
    print(report, from, "there was nothing new: nothing was changed");
    return ok;
  }
  audit_import(on, report, now);
  run.commit();
  print(report, from, "imported");
  return ok;
}

} // namespace credence::commands
