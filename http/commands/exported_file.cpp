#include "http/commands/exported_file.hpp"

#include "actors/domain/hex.hpp"
#include "http/call/json_writer.hpp"

#include <openssl/evp.h>
#include <simdjson.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <stdexcept>

namespace credence::commands {

using persistence::exported_entity;
using persistence::exported_row;
using persistence::member_kind;

namespace {

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

} // namespace

void append_header(std::string& to, export_format how, const exported_entity& of) {
  if (how == export_format::ndjson)
    return;
  for (std::size_t i = 0; i < of.members.size(); ++i)
    to.append(i == 0 ? "" : ",").append(of.members[i].name);
  to += "\r\n";
}

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

} // namespace credence::commands
