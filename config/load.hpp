#pragma once

#include "config/settings.hpp"

#include <map>
#include <string>
#include <vector>

namespace credence::settings {

/// Settings given on the command line, by name such as `http.port`.
using given_flags = std::map<std::string, std::string>;

/// What a setting is called and what it takes, as config/settings.toml declares it.
struct description {
  std::string name;    // http.port: as in the file; --http-port and CREDENCE_HTTP_PORT
  std::string alias;   // a shorter flag, such as --port; may be empty
  std::string help;    // with unit and bounds
  std::string initial; // the default as text
  bool is_secret = false;
  bool is_list = false;
  std::vector<std::string> choices; // all that it may be; empty where that is no short list
  std::string example;              // as TOML, for an example of a file; mostly empty
  bool required = false;            // nothing serves without it
};

/// One setting as it stands: its value as text (`***` for a secret that is set) and
/// where that comes from: `default`, `file:LINE`, `environment` or `flag`.
struct shown {
  std::string name;
  std::string value;
  std::string origin;
};

struct loaded {
  all values;
  std::vector<shown> list;           // every setting, in the order of the documentation
  std::vector<std::string> mistakes; // all of them, one line each; empty when all is well
};

/// Every setting there is.
const std::vector<description>& descriptions();

/// Puts the settings together: flags win over the environment (`CREDENCE_…`), that over
/// the TOML file, that over the defaults. `file` may be empty. Unknown names are
/// mistakes and come with the nearest known one.
loaded load(const given_flags& flags, const std::vector<std::string>& environment, const std::string& file);

/// The one of `known` that is spelt most like `wrong`; empty when none is known.
std::string nearest(const std::string& wrong, const std::vector<std::string>& known);

/// `http.port` -> `--http-port`.
std::string flag_of(const std::string& name);
/// `http.port` -> `CREDENCE_HTTP_PORT`.
std::string variable_of(const std::string& name);

} // namespace credence::settings
