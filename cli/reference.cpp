// simfarm completion, simfarm man: what shells and man show, from the tables that parse the command
// line.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "simfarm_version.h"

namespace simfarm::cli {
namespace {

/// One command as tables: what its words are, and what each is for.
struct CommandTable {
  std::string path;  ///< "simfarm farm init"
  std::string help;
  std::string footer;
  struct Entry {
    std::vector<std::string> names;  ///< "-j", "--jobs"; a positional's name
    std::string help;
    std::string value;  ///< "TEXT"; empty: a flag
    bool required = false;
  };
  std::vector<Entry> options, positionals, commands;
};

CommandTable::Entry entry_of(const CLI::Option& option) {
  CommandTable::Entry entry;
  entry.help = option.get_description();
  entry.required = option.get_required();
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (entry.names.empty()) entry.names.push_back(option.get_name(true));
  if (option.get_expected_max() != 0 && option.get_type_size() != 0)
    entry.value = option.get_type_name();
  return entry;
}

/// The command and all below it, each before those below it.
void add_tables(const CLI::App& app, const std::string& path, std::vector<CommandTable>& tables) {
  CommandTable table{path, app.get_description(), app.get_footer(), {}, {}, {}};
  for (const CLI::Option* const option : app.get_options({}))
    (option->nonpositional() ? table.options : table.positionals).push_back(entry_of(*option));
  const std::vector<const CLI::App*> below = app.get_subcommands({});
  for (const CLI::App* const each : below)
    table.commands.push_back({{each->get_name()}, each->get_description(), "", false});
  tables.push_back(std::move(table));
  for (const CLI::App* const each : below) add_tables(*each, path + " " + each->get_name(), tables);
}

std::vector<CommandTable> tables_of(const CLI::App& app) {
  std::vector<CommandTable> tables;
  add_tables(app, "simfarm", tables);
  return tables;
}

/// All names of all entries, with blanks between them.
std::string words_of(const std::vector<CommandTable::Entry>& entries) {
  std::string words;
  for (const CommandTable::Entry& entry : entries)
    for (const std::string& name : entry.names) words += (words.empty() ? "" : " ") + name;
  return words;
}

/// The first sentence or line, for a list.
std::string brief(const std::string& help) {
  return help.substr(0, std::min(help.find('\n'), help.find("; ")));
}

/// In single quotes of a shell; `inside` doubles what the shell needs escaped within.
std::string quoted(const std::string& text, std::string_view quote) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string(quote) : std::string(1, c);
  return result + "'";
}

std::string bash_completion(const std::vector<CommandTable>& tables) {
  std::string paths, cases;
  for (const CommandTable& table : tables) {
    if (table.path != "simfarm")
      paths += fmt::format("{}\"{}\"", paths.empty() ? "" : " | ", table.path);
    cases += fmt::format("    \"{}\") commands=\"{}\" options=\"{}\" ;;\n", table.path,
                         words_of(table.commands), words_of(table.options));
  }
  return fmt::format(R"(# bash completion of simfarm, made by `simfarm completion bash`
_simfarm() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} path=simfarm commands= options= k
  for ((k = 1; k < COMP_CWORD; k++)); do
    case "$path ${{COMP_WORDS[k]}}" in
      {}) path="$path ${{COMP_WORDS[k]}}" ;;
    esac
  done
  case "$path" in
{}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $commands ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _simfarm simfarm
)",
                     paths, cases);
}

/// 'name:help' of each, for _describe.
std::string zsh_list(const std::vector<CommandTable::Entry>& entries) {
  std::string list;
  for (const CommandTable::Entry& entry : entries)
    for (const std::string& name : entry.names)
      list += " " + quoted(name + ":" + brief(entry.help), "'\\''");
  return list;
}

std::string zsh_completion(const std::vector<CommandTable>& tables) {
  std::string paths, cases;
  for (const CommandTable& table : tables) {
    if (table.path != "simfarm")
      paths += fmt::format("{}\"{}\"", paths.empty() ? "" : " | ", table.path);
    cases += fmt::format("    \"{}\") commands=({}) options=({}) ;;\n", table.path,
                         zsh_list(table.commands), zsh_list(table.options));
  }
  return fmt::format(R"(#compdef simfarm
# zsh completion of simfarm, made by `simfarm completion zsh`
_simfarm() {{
  local line=simfarm k
  local -a commands options
  for ((k = 2; k < CURRENT; k++)); do
    case "$line ${{words[k]}}" in
      {}) line="$line ${{words[k]}}" ;;
    esac
  done
  case "$line" in
{}  esac
  if [[ ${{words[CURRENT]}} == -* ]]; then
    _describe option options
  elif (( ${{#commands}} )); then
    _describe command commands
  else
    _files
  fi
}}
if [[ ${{funcstack[1]}} == _simfarm ]]; then _simfarm "$@"; else compdef _simfarm simfarm; fi
)",
                     paths, cases);
}

/// A command line in which this command was named, and none below it.
std::string fish_condition(const CommandTable& table) {
  std::string condition;
  for (size_t at = table.path.find(' '); at != std::string::npos;) {
    const size_t end = table.path.find(' ', at + 1);
    condition += fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                             table.path.substr(at + 1, end - at - 1));
    at = end;
  }
  if (condition.empty()) return "__fish_use_subcommand";
  if (!table.commands.empty())
    condition += "; and not __fish_seen_subcommand_from " + words_of(table.commands);
  return condition;
}

std::string fish_completion(const std::vector<CommandTable>& tables) {
  std::string text = "# fish completion of simfarm, made by `simfarm completion fish`\n";
  for (const CommandTable& table : tables) {
    const std::string start =
        fmt::format("complete -c simfarm -n {}", quoted(fish_condition(table), "\\'"));
    for (const CommandTable::Entry& entry : table.commands)
      text += fmt::format("{} -f -a {} -d {}\n", start, entry.names.front(),
                          quoted(brief(entry.help), "\\'"));
    for (const CommandTable::Entry& entry : table.options) {
      text += start;
      for (const std::string& name : entry.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      text += fmt::format("{} -d {}\n", entry.value.empty() ? "" : " -r",
                          quoted(brief(entry.help), "\\'"));
    }
  }
  return text;
}

/// Text that groff prints as it stands.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '`')
      result += "\\(ga";
    else if (c == '^')
      result += "\\(ha";
    else if (c == '~')
      result += "\\(ti";
    else
      result += c;
  }
  return result;
}

std::string man_entries(const std::vector<CommandTable::Entry>& entries) {
  std::string text;
  for (const CommandTable::Entry& entry : entries) {
    if (entry.names.back() == "--help") continue;  // every command has it
    std::string names;
    for (const std::string& name : entry.names) names += (names.empty() ? "" : ", ") + name;
    text += fmt::format(".TP\n\\fB{}\\fR{}{}\n{}\n", roff(names),
                        entry.value.empty() ? "" : " \\fI" + roff(entry.value) + "\\fR",
                        entry.required ? " (required)" : "", roff(entry.help));
  }
  return text;
}

std::string man_page(const std::vector<CommandTable>& tables) {
  std::string text = fmt::format(
      ".\\\" made by `simfarm man`\n.TH SIMFARM 1 \"\" \"{}\" \"simfarm\"\n.SH NAME\n"
      "simfarm \\- {}\n.SH SYNOPSIS\n\\fBsimfarm\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
      ".SH COMMANDS\n",
      roff(SIMFARM_VERSION), roff(tables.front().help.substr(tables.front().help.find(": ") + 2)));
  for (const CommandTable& table : tables) {
    if (table.path == "simfarm") continue;
    text += fmt::format(".SS {}\n{}\n", roff(table.path.substr(8)), roff(table.help));
    text += man_entries(table.positionals) + man_entries(table.options);
    // Who has none of his own has that of the whole.
    if (!table.footer.empty() && table.footer != tables.front().footer)
      text += fmt::format(".PP\n{}\n", roff(table.footer));
  }
  return text + ".SH SEE ALSO\nThe folder docs of simfarm; docs/cli.md lists the exit codes.\n";
}

}  // namespace

void add_completion(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("completion", "Print a script that completes simfarm's command lines");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "bash: source <(simfarm completion bash). zsh: the same, or a file _simfarm in fpath. fish: "
      "simfarm completion fish >~/.config/fish/completions/simfarm.fish.");
  command->callback([shell, &app, &exit_code] {
    const std::vector<CommandTable> tables = tables_of(app);
    exit_code = print(*shell == "bash"  ? bash_completion(tables)
                      : *shell == "zsh" ? zsh_completion(tables)
                                        : fish_completion(tables));
  });
}

void add_man(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("man", "Print the manual page simfarm(1)");
  command->footer("To read it: simfarm man >simfarm.1, then man ./simfarm.1.");
  command->callback([&app, &exit_code] { exit_code = print(man_page(tables_of(app))); });
}

}  // namespace simfarm::cli
