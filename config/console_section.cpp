#include "config/setting_table.hpp"

namespace credence::settings {

#define CREDENCE_AT(member)                                                                                            \
  [](all & s) -> auto& { return s.member; }

namespace {

/// Where a browser finds the console: nothing, or a URL with a host and perhaps a path, without a slash at its end.
bool is_console_url(const std::string& text) {
  const auto scheme = text.find("://");
  if (text.empty() || scheme == std::string::npos)
    return text.empty();
  const auto path = text.find('/', scheme + 3);
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '-'
           || c == '_';
  };
  return is_origin(text.substr(0, path))
         && (path == std::string::npos
             || (text.back() != '/'
                 && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(path), text.end(), good)));
}

} // namespace

void console_listener(table& t) {
  t.flag("http.admin_listener", "listen for the operator console and its API", CREDENCE_AT(console.listener));
  t.checked("http.admin_address", "", "address of the admin listener (the operator console)",
            CREDENCE_AT(console.address), is_address, "an IPv4 or IPv6 address such as 127.0.0.1");
  t.number("http.admin_port", "--admin-port", "port of the admin listener, 0 for any free one", 0, 65535,
           CREDENCE_AT(console.port));
  t.checked("http.admin_url", "",
            "where browsers find the console behind a proxy; empty: at the listener's own address",
            CREDENCE_AT(console.url), is_console_url,
            "a URL such as https://ops.example.org or https://example.org/credence, without a slash at its end");
  t.texts(
    "http.admin_origins",
    "origins whose pages may change anything by the admin listener besides its own, separated by commas",
    CREDENCE_AT(console.origins), is_origin,
    "origins such as https://ops.example.org, in lower case and with nothing behind the host, separated by commas");
}

void console_roles(table& t) {
  t.ids("auth.operators", "", "profile ids of those who run the service by the console",
        CREDENCE_AT(console.operators));
  t.ids("auth.viewers", "", "profile ids of those who may look at the console", CREDENCE_AT(console.viewers));
}

#undef CREDENCE_AT

} // namespace credence::settings
