#include "auth/locked_bytes.hpp"

#include <openssl/crypto.h>
#include <sys/mman.h>

#include <new>
#include <utility>

namespace credence::auth {

locked_bytes::locked_bytes(std::size_t size) : size_(size) {
  auto* const pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    throw std::bad_alloc{};
  data_ = static_cast<unsigned char*>(pages);
  // Both are best effort: RLIMIT_MEMLOCK may forbid the first.
  static_cast<void>(::mlock(data_, size_));
  static_cast<void>(::madvise(data_, size_, MADV_DONTDUMP));
}

locked_bytes::locked_bytes(locked_bytes&& other) noexcept
  : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

locked_bytes::~locked_bytes() {
  if (!data_)
    return;
  OPENSSL_cleanse(data_, size_);
  ::munmap(data_, size_);
}

} // namespace credence::auth
