#pragma once

#include "tests/build_paths.hpp"

#include <rapidjson/document.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace credence::auth {

/// Whether the folder of public vectors is there; then all of them have to be.
inline bool vectors_here() { return std::filesystem::exists(test::built::source + "/../shared/vectors"); }

/// A file of public test vectors; nothing when the machine has none of that folder.
inline std::optional<rapidjson::Document> vectors(const std::string& folder, const std::string& file) {
  const std::filesystem::path at{test::built::source + "/../shared/vectors/" + folder};
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

/// Loads vectors into `name`; skips the test where there are no vectors at all.
#define CREDENCE_VECTORS(name, folder, file)                                                                           \
  const auto name##_file = credence::auth::vectors(folder, file);                                                      \
  if (!name##_file && !credence::auth::vectors_here())                                                                 \
    GTEST_SKIP() << "the public vectors (shared/vectors) are not on this machine";                                     \
  ASSERT_TRUE(name##_file) << "vectors/" folder "/" file " is not with the others";                                    \
  const rapidjson::Document& name = *name##_file
