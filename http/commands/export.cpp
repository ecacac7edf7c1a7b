#include "actors/domain/hash.hpp"
#include "auth/rfc3339.hpp"
#include "http/call/json_writer.hpp"
#include "http/commands/command.hpp"
#include "persistence/moving/exported.hpp"

#include <openssl/evp.h>

#include <fcntl.h>
#include <simdjson.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>

namespace credence::commands {

using persistence::exported_entity;
using persistence::exported_range;
using persistence::exported_row;
using persistence::member_kind;

namespace {

namespace fs = std::filesystem;

/// What a run that was cut off has left in a file.
struct written_part {
  std::uint64_t bytes = 0;         // of whole records; an unfinished one may follow them
  std::int64_t rows = 0;           // without the header
  std::vector<std::string> behind; // the key of the last row; empty: there is none
};
/// A file that grows, or standard output. Nobody but its owner may read it. Throws std::runtime_error when it cannot be
/// written.
class export_sink {
public:
  /// Standard output.
  export_sink();
  /// Goes on behind the first `kept` bytes of the file.
  export_sink(const std::string& path, std::uint64_t kept);
  export_sink(const export_sink&) = delete;
  export_sink& operator=(const export_sink&) = delete;
  ~export_sink();

  void write(std::string_view bytes);
  /// All of it is on the disk.
  void finish();
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Of all of its bytes, in lower-case hex. Once, at the end.
  std::string sha256();

private:
  struct hasher;
  void hash_kept(std::uint64_t kept);

  int file_;
  std::string name_;
  std::uint64_t bytes_ = 0;
  std::unique_ptr<hasher> hash_;
};

constexpr std::size_t read_at_once = 256 * 1024;

[[noreturn]] void fail(const std::string& doing, const std::string& name) {
  throw std::runtime_error("cannot " + doing + " " + name + ": " + std::strerror(errno));
}

/// A field of CSV: in quotes where something in it would end it, or where it would be taken for null.
void append_field(std::string& to, const std::optional<std::string_view>& value) {
  if (!value)
    return;
  if (!value->empty() && value->find_first_of("\",\r\n") == std::string_view::npos) {
    to.append(*value);
    return;
  }
  to += '"';
  for (const char c : *value) {
    if (c == '"')
      to += '"';
    to += c;
  }
  to += '"';
}

void append_object(std::string& to, const exported_entity& of, exported_row row) {
  http::json_writer json{to};
  json.begin_object();
  for (std::size_t i = 0; i < row.size(); ++i) {
    json.text_key(of.members[i].name);
    if (!row[i])
      json.null();
    else if (const auto kind = of.members[i].kind;
             kind == member_kind::number || kind == member_kind::yes_no || kind == member_kind::json)
      json.raw(*row[i]);
    else
      json.value(*row[i]);
  }
  json.end_object();
}

/// Fields of one record of CSV, without its line's end.
std::vector<std::string> fields_of(std::string_view record) {
  std::vector<std::string> out{""};
  bool quoted = false;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    if (c == '"' && quoted && i + 1 < record.size() && record[i + 1] == '"')
      out.back() += record[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

std::vector<std::string> key_in_csv(std::string_view record, const exported_entity& of) {
  const auto fields = fields_of(record);
  std::vector<std::string> out;
  for (const auto& part : of.key)
    for (std::size_t i = 0; i < of.members.size() && fields.size() == of.members.size(); ++i)
      if (of.members[i].name == part.member)
        out.push_back(fields[i]);
  return out;
}

std::vector<std::string> key_in_json(std::string_view record, const exported_entity& of) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  std::vector<std::string> out;
  if (parser.parse(record.data(), record.size()).get(root))
    return out;
  for (const auto& part : of.key) {
    simdjson::dom::element value;
    if (root[part.member].get(value))
      return {};
    std::string_view text;
    out.push_back(value.get(text) ? simdjson::minify(value) : std::string{text});
  }
  return out;
}

/// Appends what a file of this entity begins with.
void append_header(std::string& to, export_format how, const exported_entity& of) {
  if (how == export_format::ndjson)
    return;
  for (std::size_t i = 0; i < of.members.size(); ++i)
    to.append(i == 0 ? "" : ",").append(of.members[i].name);
  to += "\r\n";
}

/// Appends a row as a record.
void append_record(std::string& to, export_format how, const exported_entity& of, exported_row row) {
  if (how == export_format::ndjson) {
    append_object(to, of, row);
    to += '\n';
    return;
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    to += i == 0 ? "" : ",";
    append_field(to, row[i]);
  }
  to += "\r\n";
}

/// Throws std::runtime_error for a file whose last whole record is none of this entity.
written_part read_written(const std::string& path, export_format how, const exported_entity& of) {
  std::ifstream in{path, std::ios::binary};
  if (!in)
    return {};
  written_part out;
  std::uint64_t records = 0;
  std::uint64_t last_begins = 0;
  std::uint64_t at = 0;
  bool quoted = false;
  std::string piece(read_at_once, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0)
    for (const char c : std::string_view{piece.data(), static_cast<std::size_t>(in.gcount())}) {
      ++at;
      quoted ^= how == export_format::csv && c == '"';
      if (c != '\n' || quoted)
        continue;
      ++records;
      last_begins = out.bytes;
      out.bytes = at;
    }
  out.rows = static_cast<std::int64_t>(records) - (how == export_format::csv && records > 0 ? 1 : 0);
  if (out.rows == 0) {
    out.bytes = 0;
    return out;
  }
  std::string record(out.bytes - last_begins, '\0');
  in.clear();
  in.seekg(static_cast<std::streamoff>(last_begins));
  in.read(record.data(), static_cast<std::streamsize>(record.size()));
  while (!record.empty() && (record.back() == '\n' || record.back() == '\r'))
    record.pop_back();
  out.behind = how == export_format::csv ? key_in_csv(record, of) : key_in_json(record, of);
  if (out.behind.size() != of.key.size())
    throw std::runtime_error(path + " does not end with a record of " + std::string{of.name}
                             + "; remove it to have it written anew");
  return out;
}

struct export_sink::hasher {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  hasher() {
    if (!context || EVP_DigestInit_ex(context, EVP_sha256(), nullptr) != 1)
      throw std::runtime_error("SHA-256 is not to be had");
  }
  hasher(const hasher&) = delete;
  hasher& operator=(const hasher&) = delete;
  ~hasher() { EVP_MD_CTX_free(context); }
  void add(std::string_view bytes) { EVP_DigestUpdate(context, bytes.data(), bytes.size()); }
};

export_sink::export_sink() : file_(STDOUT_FILENO), name_("standard output"), hash_(std::make_unique<hasher>()) {}

export_sink::export_sink(const std::string& path, std::uint64_t kept)
  : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)), name_(path),
    hash_(std::make_unique<hasher>()) {
  if (file_ < 0 || ::fchmod(file_, 0600) != 0 || ::ftruncate(file_, static_cast<off_t>(kept)) != 0) {
    if (file_ >= 0)
      ::close(file_);
    fail("write", name_);
  }
  hash_kept(kept);
}

export_sink::~export_sink() {
  if (file_ != STDOUT_FILENO)
    ::close(file_);
}

void export_sink::hash_kept(std::uint64_t kept) {
  std::string piece(std::min<std::uint64_t>(read_at_once, kept), '\0');
  while (bytes_ < kept) {
    const auto got = ::read(file_, piece.data(), piece.size());
    if (got <= 0)
      fail("read", name_);
    hash_->add({piece.data(), static_cast<std::size_t>(got)});
    bytes_ += static_cast<std::uint64_t>(got);
  }
}

void export_sink::write(std::string_view bytes) {
  hash_->add(bytes);
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    const auto sent = ::write(file_, bytes.data(), bytes.size());
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0)
      fail("write", name_);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void export_sink::finish() {
  if (file_ != STDOUT_FILENO && ::fsync(file_) != 0)
    fail("write", name_);
}

std::string export_sink::sha256() {
  std::array<unsigned char, 32> digest{};
  EVP_DigestFinal_ex(hash_->context, digest.data(), nullptr);
  std::string out;
  append_hex(out, std::as_bytes(std::span{digest}));
  return out;
}

constexpr auto page_timeout = std::chrono::minutes{1};
constexpr const char* manifest_name = "manifest.json";

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

std::string file_of(std::string_view entity, export_format how) {
  return std::string{entity} + "." + std::string{export_format_names[static_cast<std::size_t>(how)]};
}

/// Without `--until` there is no such bound: a moment is the server's, which may be ahead of this machine's and of the
/// database's.
export_run asked_of(const command_line& line) {
  export_run out;
  out.how = line.moved.format == export_format_names[1] ? export_format::csv : export_format::ndjson;
  out.range = {moment_of("--since", line.moved.since), moment_of("--until", line.moved.until)};
  if (out.range.since && out.range.until && *out.range.since >= *out.range.until)
    throw ending{usage, "--since must be before --until: there is nothing between " + line.moved.since + " and "
                          + line.moved.until};
  const auto& only = line.moved.entities;
  for (const auto& each : persistence::exported_entities()) {
    const std::string name{each.name};
    if (only.empty() || std::find(only.begin(), only.end(), name) != only.end())
      out.parts.push_back({name, file_of(name, out.how), 0, 0, {}});
  }
  return out;
}

void write_manifest(const fs::path& directory, const export_run& run) {
  std::string text;
  http::json_writer json{text};
  json.begin_object();
  json.field("credence", CREDENCE_VERSION);
  json.field("format", export_format_names[static_cast<std::size_t>(run.how)]);
  json.field("since", run.range.since ? std::optional{moment_text(*run.range.since)} : std::nullopt);
  json.field("until", run.range.until ? std::optional{moment_text(*run.range.until)} : std::nullopt);
  json.field("complete",
             std::all_of(run.parts.begin(), run.parts.end(), [](const auto& each) { return !each.sha256.empty(); }));
  json.objects("files", run.parts, [&](const auto& each) {
    json.field("entity", each.entity);
    json.field("file", each.file);
    if (!each.sha256.empty()) {
      json.field("rows", each.rows);
      json.field("bytes", each.bytes);
      json.field("sha256", each.sha256);
    }
  });
  json.end_object();
  text += '\n';
  // Whoever reads it sees the old one or the new one.
  const auto fresh = directory / (std::string{manifest_name} + ".new");
  fs::remove(fresh); // of a run that was cut off
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
  out.how = format == export_format_names[1] ? export_format::csv : export_format::ndjson;
  const auto bound_of = [&](const char* name) -> std::optional<timestamp> {
    simdjson::dom::element told;
    if (root[name].get(told) || told.is_null())
      return std::nullopt;
    std::string_view bound;
    if (told.get(bound))
      throw ending{failed, path + ": `" + name + "` is no moment"};
    return moment_of(name, std::string{bound});
  };
  out.range = {bound_of("since"), bound_of("until")};
  for (const auto each : files) {
    std::string_view entity;
    std::string_view file;
    std::string_view sha256;
    exported_part part;
    if (each["entity"].get(entity) || each["file"].get(file) || !persistence::exported_entity_named(entity))
      throw ending{failed, path + " names an entity that this version does not export"};
    if (file != file_of(entity, out.how))
      throw ending{failed, path + " names a file that is none of an export: " + std::string{file}};
    part.entity = entity;
    part.file = file;
    if (!each["sha256"].get(sha256) && !each["rows"].get(part.rows) && !each["bytes"].get(part.bytes))
      part.sha256 = sha256;
    out.parts.push_back(std::move(part));
  }
  return out;
}

/// Writes what is left of an entity, and returns how many rows that was.
std::int64_t write_rows(persistence::connection& on, const exported_entity& of, const export_run& run,
                        const std::vector<std::string>& behind, export_sink& to, ops::progress& told) {
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

/// Keeps other runs out of the directory while it lives. Throws `ending` where one is at work.
class only_writer {
public:
  explicit only_writer(const fs::path& directory)
    : file_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) == 0)
      return;
    if (file_ >= 0)
      ::close(file_);
    throw ending{failed, "another program is writing an export into " + directory.string()};
  }
  only_writer(const only_writer&) = delete;
  only_writer& operator=(const only_writer&) = delete;
  ~only_writer() { ::close(file_); }

private:
  int file_;
};

export_run export_to(const command_line& line, persistence::connection& on, ops::progress& told) {
  const fs::path directory = line.moved.directory;
  fs::create_directories(directory);
  const only_writer mine{directory};
  const bool there = fs::exists(directory / manifest_name);
  if (there && !line.moved.resume)
    throw ending{usage,
                 directory.string() + " holds an export already; give --resume to go on with it, or another directory"};
  auto run = there ? read_manifest(directory) : asked_of(line);
  if (!line.moved.format.empty() && line.moved.format != export_format_names[static_cast<std::size_t>(run.how)])
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
      to << "| `" << member.name << "` | " << persistence::kind_name(member.kind) << " | " << member.about
         << (member.about.empty() ? "|\n" : " |\n");
    to << "\n";
  }
}

} // namespace

int export_all(const command_line& line) {
  const auto& asked = line.moved;
  const bool something = asked.resume
                         || !(asked.entities.empty() && asked.directory.empty() && asked.format.empty()
                              && asked.since.empty() && asked.until.empty());
  if (asked.describe && something)
    throw ending{usage, "--describe only tells what there is to export; leave it out, or everything else"};
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
    const auto run = asked_of(line);
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
