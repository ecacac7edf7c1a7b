#pragma once

#include <unistd.h>

namespace credence::auth {

/// A file's descriptor, closed with it; below 0 where it could not be opened.
struct open_file {
  int number = -1;

  explicit open_file(int opened = -1) noexcept : number(opened) {}
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (number >= 0)
      ::close(number);
  }
};

} // namespace credence::auth
