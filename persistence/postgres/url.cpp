#include "persistence/postgres/url.hpp"

#include "persistence/postgres/error.hpp"

#include <libpq-fe.h>

namespace credence::persistence {

std::map<std::string, std::string> parts_of(const secret& url) {
  char* why = nullptr;
  auto* all = PQconninfoParse(url.reveal().c_str(), &why);
  if (!all) {
    // libpq's message repeats the text it cannot read, password and all.
    PQfreemem(why);
    throw database_error(trouble::usage, {}, "the database URL cannot be read as a PostgreSQL connection string");
  }
  std::map<std::string, std::string> parts;
  for (auto* each = all; each->keyword; ++each)
    if (each->val)
      parts[each->keyword] = each->val;
  PQconninfoFree(all);
  return parts;
}

secret url_with(const secret& url, const std::string& keyword, const std::string& value) {
  auto parts = parts_of(url);
  parts[keyword] = value;
  std::string text;
  for (const auto& [name, part] : parts) {
    text += (text.empty() ? "" : " ") + name + "='";
    for (const char c : part)
      text += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
    text += "'";
  }
  return secret{text};
}

} // namespace credence::persistence
