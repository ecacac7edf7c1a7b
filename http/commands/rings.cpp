#include "persistence/console/rings.hpp"
#include "http/admin/analysis_json.hpp"
#include "http/call/json_writer.hpp"
#include "http/commands/command.hpp"

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace credence::commands {

namespace {

using integrity::found_group;

void print_group(const found_group& group) {
  std::cout << http::admin::summary_of(group) << "\n         ";
  for (const auto& each : group.members)
    std::cout << " " << each.profile;
  std::cout << "\n";
}

void print_json(const integrity::findings& found, const std::optional<integrity::ring_run>& run) {
  std::string text;
  http::json_writer json{text};
  json.begin_object();
  json.field("votes", found.votes);
  json.field("people", found.people);
  json.objects("rings", found.groups, [&](const found_group& group) {
    json.field("summary", http::admin::summary_of(group));
    json.array("profiles", group.members, [&](const auto& each) { json.value(each.profile); });
  });
  json.field("stored", run.has_value());
  json.field("new", run ? std::optional{run->fresh} : std::nullopt);
  json.field("grown", run ? std::optional{run->grown} : std::nullopt);
  json.field("gone", run ? std::optional{run->gone} : std::nullopt);
  json.end_object();
  std::cout << text << "\n";
}

void print_text(const integrity::findings& found, const std::optional<integrity::ring_run>& run) {
  for (const auto& group : found.groups)
    print_group(group);
  std::cout << found.groups.size() << " rings among " << found.people << " profiles and " << found.votes << " votes";
  if (run)
    std::cout << "; " << run->fresh << " new, " << run->grown << " grown, " << run->gone << " gone";
  std::cout << "\n";
}

integrity::ring_run store_run(persistence::connection& on, std::shared_ptr<const integrity::findings> found,
                              timestamp began) {
  const auto now = system_now();
  const console::store_findings order{std::move(found), began, now, now,
                                      std::make_shared<const request_origin>(operator_here())};
  const auto run = persistence::store_rings(on, order, persistence::deadline_in(timeout));
  if (!run)
    throw ending{failed, "a run that ended later is stored already: the clocks of two machines differ"};
  return *run;
}

integrity::findings find(const command_line& line, persistence::connection& on, timestamp now) {
  constexpr std::int64_t parts = 100;
  auto told = progress_of(line, "rings");
  told.begin("reading", 1, parts);
  const auto hear = [&](double share) {
    told.at(static_cast<std::int64_t>(share * parts));
    return true;
  };
  return persistence::find_rings(on, now, hear, persistence::deadline_in(timeout));
}

} // namespace

int rings(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "rings");
  const auto began = system_now();
  const auto found = std::make_shared<const integrity::findings>(find(line, on, began));
  const auto run = line.stored ? std::optional{store_run(on, found, began)} : std::nullopt;
  line.json ? print_json(*found, run) : print_text(*found, run);
  return ok;
}

} // namespace credence::commands
