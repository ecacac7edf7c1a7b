# What the fuzz targets link, so that their build compiles no more: with sanitizers that costs minutes. A target that needs
# another file does not link, and names what it misses.
set(CREDENCE_FUZZED
  actors/chain/abi.cpp actors/chain/calls.cpp actors/chain/events.cpp actors/chain/log_checks.cpp
  actors/domain/address.cpp actors/domain/hash.cpp actors/domain/time.cpp
  actors/domain/wei.cpp
  actors/kernel/fact_json.cpp
  actors/market/boards.cpp actors/market/lmsr.cpp actors/market/market_state.cpp
  auth/access_token.cpp auth/digest.cpp auth/provider_token.cpp auth/rfc3339.cpp auth/signature.cpp
  auth/siwe_message.cpp auth/token_parts.cpp auth/uri.cpp
  config/load.cpp config/setting_checks.cpp
  http/api/markets/market_json.cpp
  http/api/people/questions.cpp http/api/people/user_cards.cpp
  http/api/projects/questions.cpp
  http/call/errors.cpp http/call/json_body.cpp http/call/parameters.cpp http/call/target.cpp http/call/userkey.cpp
  http/callers/client_address.cpp http/callers/rate_limiter.cpp
  http/outside/chain_rpc_answers.cpp http/outside/identity_provider.cpp http/outside/outside_url.cpp
  http/outside/x_answers.cpp
  http/server/request.cpp http/server/route_table.cpp
  ops/client_counts.cpp ops/exposition.cpp ops/log.cpp ops/metrics.cpp ops/repeats.cpp)
