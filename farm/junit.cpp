#include "farm/junit.h"

#include <fmt/format.h>

#include "farm/text.h"

namespace simfarm::farm {
namespace {

enum class TestResult : u8 { passed, failed, error, skipped };

TestResult test_result(const Scored& scored) {
  const Verdict verdict = scored.evaluation.verdict;
  if (verdict == Verdict::cancelled) return TestResult::skipped;
  if (!row(verdict).authors) return TestResult::error;
  return verdict == scored.entry.expected.value_or(Verdict::accepted) ? TestResult::passed
                                                                      : TestResult::failed;
}

/// A board's texts have no control characters but line ends and tabs; what XML forbids besides
/// goes. A line end in an attribute would be read as a blank.
std::string xml_text(const std::string& text) {
  std::string kept;
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at, 3);
    if (rest == "\xef\xbf\xbe" || rest == "\xef\xbf\xbf")  // U+FFFE, U+FFFF
      at += 2;
    else
      kept += text[at];
  }
  std::string escaped;
  for (const char c : markup_text(kept))
    escaped += c == '\n' ? std::string("&#10;") : std::string(1, c);
  return escaped;
}

std::string test_case(const Row& row, const std::string& suite) {
  const Scored& scored = *row.scored;
  const std::string verdict(name(scored.evaluation.verdict));
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n", xml_text(suite),
                                 xml_text(row.submission));
  const std::string wanted =
      scored.entry.expected ? fmt::format(", must be {}", name(*scored.entry.expected)) : "";
  const std::string body = fmt::format(
      " message=\"{}{}{}\" type=\"{}\">{}rerun: {}</", verdict, wanted,
      scored.evaluation.failed_case.empty() ? ""
                                            : " in case " + xml_text(scored.evaluation.failed_case),
      verdict, xml_text(row.failure), xml_text(row.rerun));
  switch (test_result(scored)) {
    case TestResult::failed:
      text += "      <failure" + body + "failure>\n";
      break;
    case TestResult::error:
      text += "      <error" + body + "error>\n";
      break;
    case TestResult::skipped:
      text += "      <skipped message=\"not begun\"/>\n";
      break;
    case TestResult::passed:
      break;
  }
  text += fmt::format("      <system-out>{}{}</system-out>\n    </testcase>\n", verdict,
                      scored.evaluation.accepted() ? ": " + result_line(scored) : "");
  return text;
}

struct Tally {
  std::array<size_t, 4> of{};
  size_t all() const { return of[0] + of[1] + of[2] + of[3]; }
  std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", all(), of[1],
                       of[2], of[3]);
  }
};

}  // namespace

std::string junit_xml(const std::vector<Board>& boards) {
  std::string suites;
  Tally whole;
  for (const Board& board : boards) {
    const std::string suite = board.task ? board.task->name : "no task";
    Tally tally;
    std::string cases;
    for (const Row& row : board.rows) {
      ++tally.of[static_cast<size_t>(test_result(*row.scored))];
      cases += test_case(row, suite);
    }
    for (size_t k = 0; k < whole.of.size(); ++k) whole.of[k] += tally.of[k];
    suites += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", xml_text(suite),
                          tally.attributes(), cases);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"simfarm\" {}>\n"
      "{}</testsuites>\n",
      whole.attributes(), suites);
}

}  // namespace simfarm::farm
