#include "http/commands/importing.hpp"

#include "auth/rfc3339.hpp"
#include "http/api/reviews/reviews.hpp"
#include "http/call/errors.hpp"
#include "http/call/parameters.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <fstream>
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

} // namespace credence::commands
