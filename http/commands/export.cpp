#include "auth/rfc3339.hpp"
#include "http/call/json_writer.hpp"
#include "http/commands/command.hpp"
#include "http/commands/exported_file.hpp"

#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace credence::commands {

using persistence::exported_entity;
using persistence::exported_range;

namespace {

namespace fs = std::filesystem;

constexpr auto page_timeout = std::chrono::minutes{1};
constexpr const char* manifest_name = "manifest.json";
constexpr std::array<std::string_view, 2> format_names{"ndjson", "csv"};

/// A file of an export, as its manifest tells it.
struct exported_part {
  std::string entity;
  std::string file;
  std::int64_t rows = 0;
  std::uint64_t bytes = 0;
  std::string sha256; // empty: the file is not whole yet
};

/// An export as a whole: what its manifest says. A run that goes on reads from it what was asked of the one before.
struct export_run {
  export_format how{};
  exported_range range;
  std::vector<exported_part> parts;
};

/// RFC 3339 with microseconds, as members of an export are written.
std::string moment_text(timestamp when) {
  const auto text = iso_text(when);
  auto micros = std::to_string(1000 + (when.time_since_epoch().count() % 1000 + 1000) % 1000);
  return text.substr(0, text.size() - 1) + micros.substr(1) + "Z";
}

std::optional<timestamp> moment_of(const std::string& option, const std::string& text) {
  if (text.empty())
    return std::nullopt;
  if (const auto moment = auth::parse_rfc3339(text))
    return moment;
  throw ending{usage, option + " must be a moment such as 2026-03-01T00:00:00Z, not " + text};
}

/// `until` is now unless something else was asked for, so that no entity has newer facts than the one that was read before it.
export_run asked_of(const command_line& line, persistence::connection& on) {
  export_run out;
  out.how = line.moved.format == format_names[1] ? export_format::csv : export_format::ndjson;
  out.range = {moment_of("--since", line.moved.since), moment_of("--until", line.moved.until)};
  if (!out.range.until)
    out.range.until = on.exec_params("SELECT clock_timestamp() AS now", persistence::deadline_in(page_timeout)).first<timestamp>("now");
  const auto& only = line.moved.entities;
  for (const auto& each : persistence::exported_entities()) {
    const std::string name{each.name};
    if (only.empty() || std::find(only.begin(), only.end(), name) != only.end())
      out.parts.push_back({name, name + "." + std::string{format_names[static_cast<std::size_t>(out.how)]}, 0, 0, {}});
  }
  return out;
}

void write_bound(http::json_writer& to, const std::optional<timestamp>& bound) {
  if (bound)
    to.value(moment_text(*bound));
  else
    to.null();
}

void write_manifest(const fs::path& directory, const export_run& run) {
  std::string text;
  http::json_writer json{text};
  json.begin_object();
  json.field("credence", CREDENCE_VERSION);
  json.field("format", format_names[static_cast<std::size_t>(run.how)]);
  json.key("since");
  write_bound(json, run.range.since);
  json.key("until");
  write_bound(json, run.range.until);
  json.field("complete", std::all_of(run.parts.begin(), run.parts.end(), [](const auto& each) { return !each.sha256.empty(); }));
  json.key("files");
  json.begin_array();
  for (const auto& each : run.parts) {
    json.begin_object();
    json.field("entity", each.entity);
    json.field("file", each.file);
    if (!each.sha256.empty()) {
      json.field("rows", each.rows);
      json.field("bytes", each.bytes);
      json.field("sha256", each.sha256);
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
  text += '\n';
  // Whoever reads it sees the old one or the new one.
  const auto fresh = directory / (std::string{manifest_name} + ".new");
  write_private_file(fresh.string(), text);
  fs::rename(fresh, directory / manifest_name);
}

export_run read_manifest(const fs::path& directory) {
  const auto path = (directory / manifest_name).string();
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  simdjson::dom::array files;
  std::string_view format;
  if (parser.load(path).get(root) || root["format"].get(format) || root["files"].get(files))
    throw ending{failed, path + " is not the manifest of an export; without --resume an empty directory is needed"};
  export_run out;
  out.how = format == format_names[1] ? export_format::csv : export_format::ndjson;
  std::string_view bound;
  if (!root["since"].get(bound))
    out.range.since = auth::parse_rfc3339(bound);
  if (!root["until"].get(bound))
    out.range.until = auth::parse_rfc3339(bound);
  for (const auto each : files) {
    std::string_view entity;
    std::string_view file;
    std::string_view sha256;
    exported_part part;
    if (each["entity"].get(entity) || each["file"].get(file) || !persistence::exported_entity_named(entity))
      throw ending{failed, path + " names an entity that this version does not export"};
    part.entity = entity;
    part.file = file;
    if (!each["sha256"].get(sha256) && !each["rows"].get(part.rows) && !each["bytes"].get(part.bytes))
      part.sha256 = sha256;
    out.parts.push_back(std::move(part));
  }
  return out;
}

/// Writes what is left of an entity, and returns how many rows that was.
std::int64_t write_rows(persistence::connection& on, const exported_entity& of, const export_run& run, const std::vector<std::string>& behind,
                        export_sink& to, ops::progress& told) {
  std::string page;
  std::int64_t rows = 0;
  if (behind.empty())
    append_header(page, run.how, of);
  persistence::exported_rows from{on, of, run.range, behind};
  const auto take = [&](persistence::exported_row row) {
    append_record(page, run.how, of, row);
    ++rows;
  };
  bool more = true;
  while (more) {
    more = from.next(take, persistence::deadline_in(page_timeout));
    to.write(page);
    page.clear();
    told.at(rows);
  }
  to.finish();
  return rows;
}

export_run export_to(const command_line& line, persistence::connection& on, ops::progress& told) {
  const fs::path directory = line.moved.directory;
  fs::create_directories(directory);
  const bool there = fs::exists(directory / manifest_name);
  if (there && !line.moved.resume)
    throw ending{usage, directory.string() + " holds an export already; give --resume to go on with it, or another directory"};
  auto run = there ? read_manifest(directory) : asked_of(line, on);
  if (!line.moved.format.empty() && line.moved.format != format_names[static_cast<std::size_t>(run.how)])
    throw ending{usage, "that export is of another format; leave --format out"};
  for (const auto& part : run.parts)
    if (!there && fs::exists(directory / part.file))
      throw ending{usage, (directory / part.file).string() + " is there already; name another directory"};
  write_manifest(directory, run);
  told.expect(static_cast<double>(run.parts.size()));
  for (auto& part : run.parts) {
    told.begin(part.entity, 1);
    if (!part.sha256.empty())
      continue;
    const auto& entity = *persistence::exported_entity_named(part.entity);
    const auto path = (directory / part.file).string();
    const auto before = there ? read_written(path, run.how, entity) : written_part{};
    export_sink to{path, before.bytes};
    part.rows = before.rows + write_rows(on, entity, run, before.behind, to, told);
    part.bytes = to.bytes();
    part.sha256 = to.sha256();
    write_manifest(directory, run);
  }
  return run;
}

/// The tables of docs/moving.md.
void describe(std::ostream& to) {
  for (const auto& each : persistence::exported_entities()) {
    to << "### " << each.name << "\n\n" << each.about;
    if (each.moment.empty())
      to << " All of them, whatever `--since` and `--until` say.";
    to << "\n\n| member | kind | |\n|---|---|---|\n";
    for (const auto& member : each.members)
      to << "| `" << member.name << "` | " << persistence::kind_name(member.kind) << " | " << member.about << (member.about.empty() ? "|\n" : " |\n");
    to << "\n";
  }
}

} // namespace

int export_all(const command_line& line) {
  const auto& asked = line.moved;
  if (asked.describe) {
    describe(std::cout);
    return ok;
  }
  if (asked.resume && asked.directory.empty())
    throw ending{usage, "--resume needs --to, the directory of the export to go on with"};
  if (asked.resume && !(asked.entities.empty() && asked.since.empty() && asked.until.empty()))
    throw ending{usage, "--resume goes on with what the manifest says; leave entities, --since and --until out"};
  if (asked.directory.empty() && asked.entities.size() != 1)
    throw ending{usage, "name one entity to have it on standard output, or give --to DIRECTORY"};
  const auto with = good_settings(line);
  auto on = connect(with, "export");
  auto told = progress_of(line, "export");
  if (asked.directory.empty()) {
    const auto run = asked_of(line, on);
    export_sink out;
    told.begin(run.parts.front().entity, 1);
    write_rows(on, *persistence::exported_entity_named(run.parts.front().entity), run, {}, out, told);
    return ok;
  }
  const auto run = export_to(line, on, told);
  for (const auto& each : run.parts)
    std::cout << each.file << "\t" << each.rows << "\t" << each.sha256 << "\n";
  return ok;
}

} // namespace credence::commands
