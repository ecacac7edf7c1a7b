#pragma once

#include <array>
#include <string_view>

/// The words that demo data is made of. All invented.
namespace credence::persistence::demo_words {

inline constexpr std::array<std::string_view, 24> first{
  "Ada",  "Bruno", "Chiara", "Dario", "Elif",  "Farid", "Greta", "Hana", "Ivo", "Jun",  "Kavi",  "Lena",
  "Milo", "Nadia", "Otto",   "Priya", "Quinn", "Rosa",  "Sven",  "Tala", "Uma", "Vera", "Wanda", "Yusuf"};
inline constexpr std::array<std::string_view, 24> last{
  "Arendt",   "Bakker", "Castell",  "Dvorak",    "Eriksen", "Fontaine", "Grimaldi", "Haddad",
  "Ishikawa", "Jansen", "Kowalski", "Lindqvist", "Moreau",  "Novak",    "Okafor",   "Petrov",
  "Quispe",   "Rahman", "Sato",     "Tanaka",    "Ueda",    "Varga",    "Weiss",    "Zanetti"};

inline constexpr std::array<std::string_view, 40> projects{
  "Lanternswap",   "Harborlend",   "Driftbridge", "Quillnames",  "Mosswallet",   "Tidepool",   "Cobaltdex",
  "Fernvault",     "Glasswing",    "Northpier",   "Ploverpay",   "Saltmarsh",    "Kitefund",   "Owlguard",
  "Ravelindex",    "Thistlemint",  "Umbralend",   "Verdigris",   "Willowrouter", "Yarrowid",   "Amberlane",
  "Birchyield",    "Cinderhub",    "Dovetail",    "Emberchain",  "Foxglove",     "Gannetpay",  "Hollowtree",
  "Inkwellsocial", "Junipergrid",  "Kelpfinance", "Larkspur",    "Marlinperps",  "Nettlenode", "Orchardao",
  "Pebblestream",  "Quartzoracle", "Reedbank",    "Sparrowmail", "Tamarind"};
inline constexpr std::array<std::string_view, 8> about{
  "Swaps without a middleman, settled in one block.",       "Loans against what you already hold.",
  "Moves assets between chains with proofs, not promises.", "Names people can read for addresses they cannot.",
  "A wallet that explains what it is about to sign.",       "Pools that pay for patience.",
  "Prices from many sources, disputed in the open.",        "Payments that arrive before the coffee does."};

inline constexpr std::array<std::string_view, 16> bullish{"Ships every week and answers questions",
                                                          "Audited twice, bug bounty paid out",
                                                          "Real users, real fees",
                                                          "Founders stayed through the bear market",
                                                          "Docs are excellent",
                                                          "Treasury is public and boring",
                                                          "I use it daily",
                                                          "Best support in the space",
                                                          "Grew without incentives",
                                                          "Open source from day one",
                                                          "Kept its promises on the roadmap",
                                                          "Team is doxxed and reachable",
                                                          "Survived a real attack well",
                                                          "Clear plan, small scope",
                                                          "Community runs itself",
                                                          "Fees went down twice"};
inline constexpr std::array<std::string_view, 16> bearish{"Roadmap slipped three times",
                                                          "Admin keys are one multisig of friends",
                                                          "Copies another protocol",
                                                          "Support went silent",
                                                          "Volume looks washed",
                                                          "Token unlocks ahead",
                                                          "No audit of the new contracts",
                                                          "Founders sell into every rally",
                                                          "Docs are out of date",
                                                          "Outage last month, no post-mortem",
                                                          "Moderators ban critics",
                                                          "Unclear who is behind it",
                                                          "Yield comes from emissions only",
                                                          "Bridge depends on five signers",
                                                          "Users leave when points end",
                                                          "Promises more than it builds"};

struct named {
  std::string_view name;
  std::string_view slug;
  std::string_view about;
};
inline constexpr std::array<named, 6> categories{{{"DeFi", "defi", "Lending, swapping, yield"},
                                                  {"Infrastructure", "infrastructure", "Nodes, bridges, oracles"},
                                                  {"Social", "social", "Networks and messages"},
                                                  {"Identity", "identity", "Names and credentials"},
                                                  {"Wallets", "wallets", "Where keys live"},
                                                  {"Gaming", "gaming", "Play"}}};
inline constexpr std::array<named, 4> chains{{{"Base", "https://base.org", ""},
                                              {"Ethereum", "https://ethereum.org", ""},
                                              {"Optimism", "https://optimism.io", ""},
                                              {"Arbitrum", "https://arbitrum.io", ""}}};

struct wallet {
  std::string_view address;
  std::string_view key;
};
inline constexpr std::array<std::string_view, 8> praise{"Answered at two in the morning and fixed it",
                                                        "Paid me back before the date that we agreed on",
                                                        "Explains what they sign, and why",
                                                        "Three deals in a year, each as promised",
                                                        "Found a hole in our contract and told us first",
                                                        "Says so when they do not know",
                                                        "Ran the workshop without asking for anything",
                                                        "Was there when the market was not"};
inline constexpr std::array<std::string_view, 6> doubts{
  "Friendly, but I have seen no work yet",  "We met once; too early to say",
  "Delivered half of it, and late",         "Good ideas, answers after a week or so",
  "Changed the terms, gave the money back", "Fine to talk to, I would not lend to them"};
inline constexpr std::array<std::string_view, 6> warnings{
  "Took the deposit and stopped answering", "Sells the same list to everybody", "Copied our documentation word by word",
  "Asked me to sign something that drains", "Promised a refund three times",    "Every vouch of theirs is a friend's"};
inline constexpr std::array<std::string_view, 6> vouched{"I would lend to them again",
                                                         "Worked next to them for two years",
                                                         "Held my keys once, and gave them back",
                                                         "Stands for the whole team",
                                                         "Never late, never loud",
                                                         "My first choice for an audit"};
inline constexpr std::array<std::string_view, 8> answers{"I can confirm that",
                                                         "Thank you, that means a lot",
                                                         "It was a misunderstanding, see the thread",
                                                         "Has anybody else seen this?",
                                                         "Agreed, and it was not the only time",
                                                         "We have talked it over since",
                                                         "I remember this differently",
                                                         "Would you say so after the last release?"};

/// Accounts 0 to 9 of "test test test test test test test test test test test junk".
inline constexpr std::array<wallet, 10> wallets{{
  {"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"},
  {"0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"},
  {"0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC", "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a"},
  {"0x90F79bf6EB2c4f870365E785982E1f101E93b906", "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6"},
  {"0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65", "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a"},
  {"0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc", "0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba"},
  {"0x976EA74026E726554dB657fA54763abd0C3a0aa9", "0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e"},
  {"0x14dC79964da2C08b23698B3D3cc7Ca32193d9955", "0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356"},
  {"0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f", "0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97"},
  {"0xa0Ee7A142d267C1f36714E4a8F75612F20a79720", "0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6"},
}};

} // namespace credence::persistence::demo_words
