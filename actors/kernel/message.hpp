#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

/// What travels to actors: one kind of counted object, whatever it holds. So each kind of message costs the compiler a
/// small class, where CAF's own messages cost some forty functions for each kind and each place that sends it.
namespace credence {

/// Identifies a kind of message: the address of a variable of which there is one for each type.
using message_kind = const char*;
template <class M>
inline constexpr char kind_of_message = 0;

/// A message on its way; the last one to let go of it ends it.
class message_base {
public:
  explicit message_base(message_kind kind) noexcept : kind_(kind) {}
  message_base(const message_base&) = delete;
  message_base& operator=(const message_base&) = delete;
  virtual ~message_base() = default;

  message_kind kind() const noexcept { return kind_; }
  void ref() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
  void deref() noexcept {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      unheld();
  }

  bool cancelled = false; // by the actor that planned it for itself

protected:
  /// Nobody holds it any more.
  virtual void unheld() noexcept { delete this; }
  void revive() noexcept { refs_.store(1, std::memory_order_relaxed); }

private:
  message_kind kind_;
  std::atomic<std::uint32_t> refs_{1};
};

/// A message that is not answered.
template <class M>
class told final : public message_base {
public:
  explicit told(M message) : message_base(&kind_of_message<M>), content(std::move(message)) {}
  M content;
};

/// A counted pointer to a message.
template <class Base>
class counted {
public:
  counted() = default;
  /// Adopts a reference.
  explicit counted(Base* held) noexcept : ptr_(held) {}
  counted(const counted& other) noexcept : ptr_(other.ptr_) {
    if (ptr_)
      ptr_->ref();
  }
  counted(counted&& other) noexcept : ptr_(other.release()) {}
  counted& operator=(counted other) noexcept {
    std::swap(ptr_, other.ptr_);
    return *this;
  }
  ~counted() {
    if (ptr_)
      ptr_->deref();
  }

  Base* get() const noexcept { return ptr_; }
  /// Hands over the reference: this is empty afterwards.
  Base* release() noexcept { return std::exchange(ptr_, nullptr); }
  explicit operator bool() const noexcept { return ptr_ != nullptr; }

private:
  Base* ptr_ = nullptr;
};
using message_ref = counted<message_base>;

/// Whether messages of that kind are questions, which are answered with their `answer_type`.
template <class M>
concept question_type = requires {
  typename M::answer_type;
};

} // namespace credence
