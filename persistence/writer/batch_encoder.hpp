#pragma once

#include "persistence/writer/batch.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <memory>
#include <span>

namespace credence::persistence {

/// Turns batches into statements. Keeps its buffers from one batch to the next.
class batch_encoder {
public:
  batch_encoder();
  batch_encoder(const batch_encoder&) = delete;
  batch_encoder& operator=(const batch_encoder&) = delete;
  ~batch_encoder();

  /// Prepares everything that a batch may use.
  static void prepare(connection& on, steady_time deadline);
  /// The statements of `from`, valid until the next call. Its changes take the global
  /// numbers from `from.identity.first_seq` on, in order.
  std::span<const pipelined> encode(const batch& from, const claim& mine);
  /// Whether that is a single statement, which writes its change only where the fence and the checks let it: no
  /// row means that the batch was refused, and `encode_long` has the statements that say why.
  bool lone() const noexcept { return lone_; }
  std::span<const pipelined> encode_long(const batch& from, const claim& mine);

private:
  struct buffers; // of all kinds of facts: only the encoder's own file knows their SQL

  bool take_short_way(const batch& from);
  static bool meets_records(const batch& from);
  static bool is_derived(const batch& from);
  void add(const change& change, global_seq number);

  bool lone_ = false;
  parameters fence_;
  parameters nothing_;
  std::unique_ptr<buffers> buffers_;
  batch_statements statements_;
};

} // namespace credence::persistence
