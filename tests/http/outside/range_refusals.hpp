#pragma once

#include <cstdint>
#include <utility>

namespace credence::test {

/// Code and text of errors by which nodes and providers say that a request for logs covers too much.
inline constexpr std::pair<std::int64_t, const char*> range_refusals[]{
  {-32005, "query returned more than 10000 results. Try with this block range [0x1000, 0x10ff]."},
  {-32602, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on "
           "the response size, or you can "
           "request any block range with a cap of 10K logs in the response."},
  {-32614, "eth_getLogs is limited to a 10,000 range"},
  {-32000, "query exceeds max results 20000, retry with the range 24200000-24200100"},
  {-32602, "query exceeds max block range 100000"},
  {-32000, "block range too large, range: 6001, max: 5000"},
  {-32000, "exceed maximum block range: 5000"},
  {-32000, "Requested range exceeds maximum RPC range limit"},
  {-32000, "requested too many blocks from 1 to 20000, maximum is set to 2048"},
  {-32000, "maximum [from, to] blocks distance: 10000"},
  {-32011, "backend response too large"},
  {-32020, "backend response too large"},
  {-32008, "Response is too big"},
  {-32000, "response size should not greater than 10000000 bytes"},
  {-32000, "query block range exceeds server limit, narrow your filter: 1000"},
  {-32000, "block range is too wide"},
  {-32000, "ranges over 10000 blocks are not supported on freetier"},
  {35, "Block range limit exceeded. See more details at the documentation"},
  {-32000, "range is too large, max is 1k blocks"},
  {-32000, "Too many logs requested. Max logs per response is 20000."},
  {-32000, "query timeout exceeded"},
  {-32000, "block range exceeds configured limit"},
  {-32000, "exceed max block range: 50000"},
  {-32000, "exceeds max block range of 1000"},
  {-32000, "query exceeds maximum block range: 50000"},
  {-32000, "exceeded maximum block range: 5000"},
  {-32000, "the requested range exceeds the range allowed"},
  {-32000, "number of logs exceeds the limit"},
  {-32000, "exceeded max limit of 10000"},
  {-32000, "exceeded max range limit of 1024"},
  {-32000, "exceed max range 2000"},
  {-32000, "exceeds max range 2000"},
  {-32000, "invalid range: max range: 3000"},
  {-32000, "too many blocks requested"},
  {-32000, "logs matched by query exceeds limit of 10000"},
  {-32000, "block range is too large"},
  {-32000, "block range too wide"},
  {-32000, "block range should work within 1024"},
  {-32000, "block range greater than 5000 max"},
  {-32000, "range too large, at most 1000 blocks"},
  {-32000, "range too wide"},
  {-32000, "please limit the query to at most 1000 blocks"},
  {-32000, "query must be smaller than size 1024"},
  {-32000, "response is too large"},
  {-32000, "result too large"},
  {-32000, "query timed out"},
  {-32000, "range of 5001 is greater than the limit of 5000"},
  {413, "Request Entity Too Large"},
  {-32600, ""},
  {-32602, "invalid params"},
};

} // namespace credence::test
