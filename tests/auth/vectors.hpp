#pragma once

#include <rapidjson/document.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>

namespace credence::auth {

/// A file of public test vectors; nothing when the machine has none of that folder.
inline std::optional<rapidjson::Document> vectors(const std::string& folder, const std::string& file) {
  const std::filesystem::path at{CREDENCE_SOURCE "/../shared/vectors/" + folder};
  if (!std::filesystem::exists(at))
    return std::nullopt;
  std::ifstream in{at / file};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  rapidjson::Document out;
  out.Parse(text.data(), text.size());
  if (out.HasParseError() || !out.IsObject())
    throw std::runtime_error(file + " is not a JSON object");
  return out;
}

/// A member that is text.
inline std::string text_in(const rapidjson::Value& object, const char* name) {
  const auto& value = object[name];
  return {value.GetString(), value.GetStringLength()};
}

inline std::optional<std::string> text_if_any(const rapidjson::Value& object, const char* name) {
  if (!object.HasMember(name) || object[name].IsNull())
    return std::nullopt;
  return text_in(object, name);
}

} // namespace credence::auth

/// Loads vectors into `name`, or skips the test.
#define CREDENCE_VECTORS(name, folder, file)                                                                           \
  const auto name##_file = credence::auth::vectors(folder, file);                                                      \
  if (!name##_file)                                                                                                    \
    GTEST_SKIP() << "the public vectors (vectors/" folder ") are not on this machine";                                 \
  const rapidjson::Document& name = *name##_file
