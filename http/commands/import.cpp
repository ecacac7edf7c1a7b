#include "actors/reputation/attestation_state.hpp"
#include "actors/reputation/join_state.hpp"
#include "actors/reputation/project_record_state.hpp"
#include "actors/reputation/review_state.hpp"
#include "http/commands/command.hpp"
#include "http/commands/importing.hpp"

#include <simdjson.h>

#include <algorithm>
#include <iostream>

namespace credence::commands {

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
