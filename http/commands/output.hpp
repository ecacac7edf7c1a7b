#pragma once

#include "http/call/json_writer.hpp"

#include <cstdint>
#include <iostream>
#include <string>

/// What commands print on standard output.
namespace credence::commands {

/// A JSON object on a line of its own; `fill` writes its members.
template <class Fill>
void print_object(Fill fill) {
  std::string text;
  http::json_writer to{text};
  to.begin_object();
  fill(to);
  to.end_object();
  std::cout << text << "\n";
}

/// Prints rows: as a JSON array of objects on one line, whose members `fill` writes; or else one text for each, by
/// `line`, and `none` where there are no rows.
template <class Rows, class Fill, class Line>
void print_rows(bool json, const Rows& rows, Fill fill, Line line, const char* none = "") {
  if (!json) {
    for (const auto& each : rows)
      std::cout << line(each) << "\n";
    std::cout << (std::empty(rows) ? none : "");
    return;
  }
  std::string text;
  http::json_writer to{text};
  to.begin_array();
  for (const auto& each : rows) {
    to.begin_object();
    fill(to, each);
    to.end_object();
  }
  to.end_array();
  std::cout << text << "\n";
}

/// `1 event`, `2 events`.
inline std::string counted(std::int64_t count, const std::string& one, const std::string& several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

} // namespace credence::commands
