#pragma once

#include "persistence/moving/exported.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The files of an export.
namespace credence::commands {

/// `ndjson`: an object a line. `csv`: RFC 4180, with a header; null is an empty field, an empty text one in quotes.
enum class export_format : std::uint8_t { ndjson, csv };
/// Their names, which files end in.
inline constexpr std::array<std::string_view, 2> export_format_names{"ndjson", "csv"};

/// Appends what a file of this entity begins with.
void append_header(std::string& to, export_format how, const persistence::exported_entity& of);
/// Appends a row as a record.
void append_record(std::string& to, export_format how, const persistence::exported_entity& of,
                   persistence::exported_row row);

/// What a run that was cut off has left in a file.
struct written_part {
  std::uint64_t bytes = 0;         // of whole records; what is behind them is the beginning of one
  std::int64_t rows = 0;           // without the header
  std::vector<std::string> behind; // the key of the last row; empty: there is none
};
/// Throws std::runtime_error for a file whose last whole record is none of this entity.
written_part read_written(const std::string& path, export_format how, const persistence::exported_entity& of);

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

} // namespace credence::commands
