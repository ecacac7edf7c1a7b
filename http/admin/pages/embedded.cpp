#include "http/admin/pages/embedded.hpp"

#include "actors/domain/hex.hpp"
#include "auth/digest.hpp"

#include <algorithm>
#include <vector>

// The assembler puts the bytes of each file between two labels (ops/embed_console.cmake).
#define EMBEDDED_FILE(number, file, zipped)                                                                            \
  __asm__(".pushsection .rodata\n"                                                                                     \
          "credence_file_" #number ":\n.incbin \"" file "\"\n"                                                         \
          "credence_file_end_" #number ":\n"                                                                           \
          "credence_zip_" #number ":\n.incbin \"" zipped "\"\n"                                                        \
          "credence_zip_end_" #number ":\n"                                                                            \
          ".popsection\n");                                                                                            \
  extern "C" const char credence_file_##number[], credence_file_end_##number[], credence_zip_##number[],               \
    credence_zip_end_##number[];
#include "console_files.inc"
#undef EMBEDDED_FILE

namespace credence::http::admin {

namespace {

constexpr std::size_t etag_bytes = 12;

embedded_file made(std::string_view name, const char* begin, const char* end, const char* zip, const char* zip_end) {
  embedded_file out{name,
                    {begin, static_cast<std::size_t>(end - begin)},
                    {zip, static_cast<std::size_t>(zip_end - zip)},
                    "W/\""}; // of both its forms
  const auto hash = auth::sha256(out.content);
  append_hex(out.etag, std::span{hash}.first(etag_bytes));
  out.etag += '"';
  return out;
}

} // namespace

std::span<const embedded_file> embedded_files() {
  static const auto all = [] {
    std::vector<embedded_file> out;
#define EMBEDDED_NAME(number, name)                                                                                    \
  out.push_back(                                                                                                       \
    made(name, credence_file_##number, credence_file_end_##number, credence_zip_##number, credence_zip_end_##number));
#include "console_files.inc"
#undef EMBEDDED_NAME
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return out;
  }();
  return all;
}

const embedded_file* find_embedded(std::string_view name) {
  const auto all = embedded_files();
  const auto found =
    std::lower_bound(all.begin(), all.end(), name,
                     [](const embedded_file& each, std::string_view wanted) { return each.name < wanted; });
  return found == all.end() || found->name != name ? nullptr : &*found;
}

} // namespace credence::http::admin
