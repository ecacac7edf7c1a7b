#include "persistence/postgres/url.hpp"

#include "persistence/postgres/error.hpp"

#include <libpq-fe.h>

#include <algorithm>

namespace credence::persistence {

namespace {

/// Takes an option out of those of a URL; empty when it is not there.
std::string take(std::map<std::string, std::string>& from, const std::string& keyword) {
  const auto found = from.extract(keyword);
  return found ? std::move(found.mapped()) : std::string{};
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

} // namespace

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

std::vector<host_of_url> take_hosts(std::map<std::string, std::string>& options) {
  const auto all_names = take(options, "host");
  const auto all_addresses = take(options, "hostaddr");
  const auto all_ports = take(options, "port");
  const auto names = split(all_names);
  const auto addresses = split(all_addresses);
  const auto ports = split(all_ports);
  const auto count = std::max(names.size(), addresses.size());
  const auto fits = [count](const std::string& list, const std::vector<std::string>& parts) {
    return list.empty() || parts.size() == count;
  };
  if (!fits(all_names, names) || !fits(all_addresses, addresses) || !(fits(all_ports, ports) || ports.size() == 1))
    throw database_error(trouble::usage, {},
                         "the database URL has " + std::to_string(names.size()) + " hosts, "
                           + std::to_string(addresses.size()) + " addresses and " + std::to_string(ports.size())
                           + " ports: give one of each for every host, or one port for all");
  std::vector<host_of_url> out;
  for (std::size_t i = 0; i < count; ++i) {
    host_of_url one;
    const auto put = [&](const char* keyword, const std::vector<std::string>& parts) {
      const auto& part = parts[std::min(i, parts.size() - 1)];
      if (part.empty())
        return;
      one.where.emplace_back(keyword, part);
      one.name += (one.name.empty() ? "" : " ") + part;
    };
    put("host", names);
    put("hostaddr", addresses);
    put("port", ports);
    out.push_back(std::move(one));
  }
  return out;
}

secret url_of(const std::map<std::string, std::string>& options) {
  std::string text;
  for (const auto& [name, part] : options) {
    text += (text.empty() ? "" : " ") + name + "='";
    for (const char c : part)
      text += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
    text += "'";
  }
  return secret{text};
}

secret url_with(const secret& url, const std::string& keyword, const std::string& value) {
  auto parts = parts_of(url);
  parts[keyword] = value;
  return url_of(parts);
}

} // namespace credence::persistence
