#pragma once

#include "ops/alerts.hpp"

#include <array>
#include <cstdio>

/// The file of rules for Prometheus (ops/prometheus/alerts.yml), but for what it begins with, as the table of alerts
/// would make it.
namespace credence::ops {

inline std::string text_of(std::chrono::seconds time) {
  const auto count = time.count();
  if (count % 3600 == 0)
    return std::to_string(count / 3600) + "h";
  if (count % 60 == 0)
    return std::to_string(count / 60) + "m";
  return std::to_string(count) + "s";
}

inline std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", number);
  return text;
}

inline std::string selected(const term& of, std::string_view suffix = {}) {
  std::string out{of.metric};
  out += suffix;
  for (const auto& each : of.where) {
    out += &each == &of.where.front() ? "{" : ",";
    out.append(each.name)
      .append(each.value.find('|') == each.value.npos ? "=\"" : "=~\"")
      .append(each.value)
      .append("\"");
  }
  return of.where.empty() ? out : out + "}";
}

inline std::string expression_of(const term& of) {
  const auto window = "[" + text_of(of.over) + "]";
  const auto read = [&]() -> std::string {
    switch (of.how) {
      case reading::value: return selected(of);
      case reading::increase: return "increase(" + selected(of) + window + ")";
      case reading::rate: return "rate(" + selected(of) + window + ")";
      case reading::changes: return "changes(" + selected(of) + window + ")";
      case reading::quantile99:
        return "histogram_quantile(0.99, sum by (instance, le) (rate(" + selected(of, "_bucket") + window + ")))";
      case reading::age: return "time() - " + selected(of);
    }
    return {};
  }();
  return of.summed ? "sum by (instance) (" + read + ")" : read;
}

inline std::string sum_of(const std::vector<term>& terms) {
  std::string out;
  for (const auto& each : terms) {
    if (&each != &terms.front())
      out += each.subtracted ? " - " : " + ";
    out += expression_of(each);
  }
  return out;
}

inline std::string expression_of(const comparison& of) {
  auto out = sum_of(of.terms);
  if (!of.divisor.empty())
    out += " / " + sum_of(of.divisor);
  out += (of.against == comparison::how::is ? " == " : " > ") + text_of(of.bound);
  if (of.terms.front().how == reading::age)
    out += " and " + selected(of.terms.front()) + " > 0";
  return out;
}

inline std::string expression_of(const alert& of) {
  std::string out{of.only_prometheus};
  for (const auto& all : of.when) {
    if (!out.empty())
      out += " or ";
    for (const auto& each : all)
      out += (&each == &all.front() ? "" : " and on (instance) ") + expression_of(each);
  }
  return out;
}

inline std::string summary_of(const alert& of) {
  constexpr std::array values{"{{ $value }}", "{{ $value | humanizeDuration }}", "{{ $value | humanizePercentage }}"};
  std::string out = "{{ $labels.instance }}: ";
  for (std::string_view rest = of.summary; !rest.empty();) {
    const auto begin = rest.find('{');
    out += rest.substr(0, begin);
    if (begin == rest.npos)
      break;
    const auto end = rest.find('}', begin);
    const auto name = rest.substr(begin + 1, end - begin - 1);
    if (name == "value")
      out += values[static_cast<std::size_t>(of.in)];
    else
      out.append("{{ $labels.").append(name).append(" }}");
    rest.remove_prefix(end + 1);
  }
  return out;
}

/// The operator may have chosen another place; a rule cannot know http.admin_url.
inline constexpr std::string_view runbook_base =
  "{{ with $externalLabels.runbooks }}{{ . }}{{ else }}http://127.0.0.1:9465/#/manual/{{ end }}";

inline std::string alert_rules() {
  std::string out = "groups:\n  - name: credence\n    rules:\n";
  for (const auto& each : alerts()) {
    if (&each != &alerts().front())
      out += "\n";
    out.append(each.only_prometheus.empty() ? "" : "      # only Prometheus\n");
    out.append("      - alert: ").append(each.name).append("\n        expr: ").append(expression_of(each)).append("\n");
    if (each.after.count() > 0)
      out.append("        for: ").append(text_of(each.after)).append("\n");
    out.append("        labels: {severity: ").append(each.page ? "page" : "warn").append("}\n        annotations:\n");
    out.append("          summary: \"").append(summary_of(each)).append("\"\n");
    out.append("          action: \"").append(each.action).append("\"\n");
    out.append("          runbook_url: \"").append(runbook_base).append(section_of(each)).append("\"\n");
  }
  return out;
}

} // namespace credence::ops
