#include "tests/build_paths.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/process.hpp"
#include "tests/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace credence::test {
namespace {

namespace fs = std::filesystem;

finished credence(std::vector<std::string> words) {
  words.insert(words.begin(), built::executable);
  return run_program(words);
}

/// What `--help` of one command lists.
struct helped {
  std::string path; // `migrate up`
  std::vector<std::string> options;
  std::vector<std::string> subcommands;
};

/// Of a command and all below it.
void read_help(const std::vector<std::string>& path, std::vector<helped>& to) {
  auto words = path;
  words.emplace_back("--help");
  std::istringstream help{credence(words).out};
  helped out;
  for (const auto& word : path)
    out.path += (out.path.empty() ? "" : " ") + word;
  std::string group;
  const std::regex option{"--?[a-z][a-z-]*"};
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with(" "))
      group = line;
    else if (line.starts_with("  -")) {
      const auto names = line.substr(2, line.find(' ', 2) - 2);
      for (std::sregex_iterator at{names.begin(), names.end(), option}, end; at != end; ++at)
        out.options.push_back(at->str());
    } else if (group == "Subcommands:" && line.size() > 2 && line[2] != ' ')
      out.subcommands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  to.push_back(out);
  for (const auto& each : out.subcommands) {
    auto below = path;
    below.push_back(each);
    read_help(below, to);
  }
}

/// What can be exported: a heading each.
std::set<std::string> all_entities() {
  std::istringstream told{credence({"export", "--describe"}).out};
  std::set<std::string> out;
  for (std::string line; std::getline(told, line);)
    if (line.starts_with("### "))
      out.insert(line.substr(4));
  return out;
}

const std::vector<helped>& all_help() {
  static const auto all = [] {
    std::vector<helped> out;
    read_help({}, out);
    return out;
  }();
  return all;
}

class CommandPages : public testing::Test {
protected:
  /// What that command prints, in a file.
  std::string page(const std::vector<std::string>& words) {
    const auto printed = credence(words);
    EXPECT_EQ(printed.code, 0) << printed.err;
    const auto file = home / words.back();
    std::ofstream{file} << printed.out;
    return file;
  }

  const scratch_directory scratch{"pages"};
  const fs::path home = scratch.path();
};

std::string bash_reads(const std::string& script) {
  return ". " + script + R"(
complete_words() { COMP_WORDS=(credence "$@") COMP_CWORD=$# COMPREPLY=(); _credence; echo "${COMPREPLY[*]}"; }
)";
}

TEST_F(CommandPages, BashCompletesEveryCommandAndOptionOfTheHelp) {
  const auto script = page({"completion", "bash"});
  ASSERT_GT(all_help().size(), 25u) << "the help lists its commands";
  auto lines = bash_reads(script);
  for (const auto& command : all_help())
    lines += "complete_words " + command.path + " ''\n";
  const auto completed = run_program({"bash", "--norc", "-c", lines});
  ASSERT_EQ(completed.err, "");
  std::istringstream answers{completed.out};
  for (const auto& command : all_help()) {
    std::string answer;
    ASSERT_TRUE(std::getline(answers, answer));
    std::istringstream words{answer};
    const std::set<std::string> offered{std::istream_iterator<std::string>{words}, {}};
    std::set<std::string> wanted{command.options.begin(), command.options.end()};
    wanted.insert(command.subcommands.begin(), command.subcommands.end());
    if (command.path == "completion")
      wanted.insert({"bash", "zsh", "fish"});
    if (command.path == "export")
      wanted.merge(all_entities());
    EXPECT_EQ(offered, wanted) << "credence " << command.path;
  }
}

TEST_F(CommandPages, BashCompletesWordsAndValuesWhereTheyStand) {
  const auto script = page({"completion", "bash"});
  for (const auto& [words, completed] :
       std::vector<std::pair<std::string, std::string>>{{"mi", "migrate"},
                                                        {"migrate s", "status"},
                                                        {"migrate up --operator-p", "--operator-port"},
                                                        {"serve --log-level ''", "debug info warn error off"},
                                                        {"serve --log-level = d", "debug"},
                                                        {"serve --http-rate-limits = ''", "true false"},
                                                        {"serve --port ''", ""},
                                                        {"serve --config migrate --log-r", "--log-requests"},
                                                        {"token 7 --admin --lif", "--lifetime"},
                                                        {"completion z", "zsh"}})
    EXPECT_EQ(run_program({"bash", "--norc", "-c", bash_reads(script) + "complete_words " + words}).out,
              completed + "\n")
      << words;
}

TEST_F(CommandPages, FishCompletesAndZshTakesItsScript) {
  const auto fish = page({"completion", "fish"});
  const auto script = "source " + fish
                      + "; complete -C 'credence migrate '; complete -C 'credence serve --log-level d';"
                        " complete -C 'credence token 7 --lif'; complete -C 'credence completion f'";
  const auto completed = run_program({"fish", "--no-config", "-c", script});
  EXPECT_EQ(completed.err, "");
  for (const auto* part : {"status\tlist migrations", "up\tapply", "debug\t", "--lifetime\t", "fish\t"})
    EXPECT_NE(completed.out.find(part), std::string::npos) << part << " is missing in:\n" << completed.out;
  EXPECT_EQ(completed.out.find("--port"), std::string::npos) << completed.out;
  const auto zsh = page({"completion", "zsh"});
  const auto taken = run_program(
    {"zsh", "-f", "-c", "autoload -U compinit; compinit -u -D; source " + zsh + "; echo ${_comps[credence]}"});
  EXPECT_EQ(taken.err, "");
  EXPECT_EQ(taken.out, "_credence\n");
  for (const auto& file : {fish, zsh}) {
    std::ifstream in{file};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    for (const auto& command : all_help())
      for (const auto& option : command.options)
        EXPECT_NE(text.find(file == zsh ? option : option.substr(option.find_first_not_of('-'))), std::string::npos)
          << option << " in " << file;
  }
}

TEST_F(CommandPages, TheManualHasEveryCommandAndOptionOfTheHelpAndNoMistake) {
  const auto source = page({"man"});
  EXPECT_EQ(run_program({"groff", "-ww", "-man", "-Tutf8", source}).err, "");
  // Wide enough that nothing is broken, and without what makes letters bold.
  const auto manual = run_program({"groff", "-man", "-Tutf8", "-rLL=1000n", "-P-c", "-P-b", "-P-u", source}).out;
  std::set<std::string> words;
  std::istringstream in{std::regex_replace(manual, std::regex{"[,\\]]"}, " ")};
  for (std::string word; in >> word;)
    words.insert(word);
  for (const auto& command : all_help()) {
    EXPECT_NE(manual.find("credence " + command.path), std::string::npos) << command.path;
    for (const auto& option : command.options)
      EXPECT_TRUE(words.contains(option)) << "credence " << command.path << " " << option;
  }
  for (const auto* part :
       {"eyJhbGci…", "another process has taken the database over", "in [1 - 31536000]", "debug|info|warn|error|off"})
    EXPECT_NE(manual.find(part), std::string::npos) << part;
}

// -- long work ------------------------------------------------------------------------

class LongWork : public testing::Test {
protected:
  LongWork() { EXPECT_EQ(credence({"migrate", "up", "--database-url", database.url()}).code, 0); }
  /// What is seen on a terminal of that kind; what the command says on standard output goes to the file `out`.
  std::string seen(const std::string& term, const std::string& words) {
    const auto command = words + " --data-dir " + home.string() + " --database-url \"" + database.url() + "\" > "
                         + (home / "out").string();
    const auto done = run_program({"script", "-qec", command, "/dev/null"}, {{"TERM", term}});
    EXPECT_EQ(done.code, 0) << done.out;
    return done.out;
  }
  std::string output() const {
    std::ifstream in{home / "out"};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  private_postgres database;
  const scratch_directory scratch{"long-work"};
  const fs::path home = scratch.path();
};

TEST_F(LongWork, IsToldOnATerminalAndNowhereElseUnlessItTakesLong) {
  const auto filling = seen("xterm", built::demo + " --profiles 60 --projects 5 --votes 200");
  for (const auto* part : {"\r\x1b[Kdemo: users, ", "demo: votes, ", "demo: tidying up, ", " of 200, "})
    EXPECT_NE(filling.find(part), std::string::npos) << part << " is missing in:\n" << filling;
  EXPECT_TRUE(filling.ends_with("\r\x1b[K")) << filling;
  EXPECT_TRUE(output().starts_with("loaded 60 profiles")) << output();
  for (const auto& [words, part] :
       std::vector<std::pair<std::string, std::string>>{{"verify", "verify: scores, by the ids of users"},
                                                        {"score recompute", "score recompute: who vouches for whom"},
                                                        {"score recompute --check", "score recompute --check: scores"},
                                                        {"chain replay --check", "chain replay: "}}) {
    const auto line = seen("xterm", built::executable + " " + words);
    EXPECT_NE(line.find(part), std::string::npos) << line;
    EXPECT_TRUE(line.ends_with("\r\x1b[K")) << line;
    EXPECT_EQ(output().find('\r'), std::string::npos) << "standard output stays what it is";
    EXPECT_EQ(seen("xterm", built::executable + " " + words + " --quiet"), "");
    EXPECT_EQ(seen("dumb", built::executable + " " + words), "");
    const auto elsewhere =
      run_program({"sh", "-c", built::executable + " " + words + " --database-url \"" + database.url() + "\""});
    EXPECT_EQ(elsewhere.err, "") << "a line comes after ten seconds";
  }
}

} // namespace
} // namespace credence::test
