"""What runs of ops/bench come to, and where they are written down."""
import os
import pathlib
import statistics
import subprocess

from processes import ROOT

VOTING = ("votes", "hot", "keys")


def summarise(scenario, connections, rate, theirs, ours):
    def middle(get, of=ours):
        return statistics.median(get(run) for run in of)
    return {
        "scenario": scenario, "connections": connections, "rate": rate,
        "rps": middle(lambda r: r["rps"]), "rps_least": min(r["rps"] for r in ours), "rps_most": max(r["rps"] for r in ours),
        "ceiling_rps": middle(lambda r: r["rps"], theirs),
        "ratio": statistics.median(b["rps"] / a["rps"] for a, b in zip(theirs, ours) if a["rps"]),
        "p50_ms": middle(lambda r: r["latency_ms"]["p50"]), "p99_ms": middle(lambda r: r["latency_ms"]["p99"]),
        "p99_9_ms": middle(lambda r: r["latency_ms"]["p99_9"]),
        "ceiling_p50_ms": middle(lambda r: r["latency_ms"]["p50"], theirs),
        "ceiling_p99_ms": middle(lambda r: r["latency_ms"]["p99"], theirs),
        "cpu_us": {key: middle(lambda r: r["cpu_us"][key]) for key in ("server", "postgres", "generator")},
        "ceiling_cpu_us": middle(lambda r: r["cpu_us"]["server"], theirs),
        "rss_mib": max(r["rss_mib"] for r in ours),
        "not_200": sum(r["wrong_status"] for r in ours), "errors": sum(r["errors"] for r in ours),
        "unsent": sum(r["unsent"] for r in ours),
        "totals_right": all(r.get("totals_right", True) for r in ours),
    }


def table(rows):
    head = ["scenario", "conn", "load", "ceiling rps", "ours rps", "least..most", "ratio", "p50 ms", "p99 ms", "p99 ceiling",
            "CPU us ours", "PostgreSQL", "generator", "ceiling", "RSS MiB", "not 200", "totals"]
    lines = [head, ["---"] * len(head)]
    for r in rows:
        cpu = r["cpu_us"]
        checked = r["scenario"] in VOTING
        lines.append([r["scenario"], str(r["connections"]), f"{r['rate']:.0f}/s" if r["rate"] else "closed",
                      f"{r['ceiling_rps']:.0f}", f"{r['rps']:.0f}", f"{r['rps_least']:.0f}..{r['rps_most']:.0f}",
                      "" if r["rate"] else f"{r['ratio']:.2f}", f"{r['p50_ms']:.2f}", f"{r['p99_ms']:.2f}",
                      f"{r['ceiling_p99_ms']:.2f}", f"{cpu['server']:.1f}", f"{cpu['postgres']:.1f}", f"{cpu['generator']:.1f}",
                      f"{r['ceiling_cpu_us']:.1f}", f"{r['rss_mib']:.0f}", str(r["not_200"] + r["errors"]),
                      ("right" if r["totals_right"] else "WRONG") if checked else ""])
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines)


def surroundings():
    def git(*words):
        done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""
    model = [line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
             if line.startswith("model name")]
    changed = git("status", "--porcelain", "--untracked-files=no")
    return {"commit": git("rev-parse", "--short", "HEAD") + ("+changes" if changed else ""), "cores": os.cpu_count(),
            "processor": model[0] if model else "unknown", "kernel": os.uname().release}


def append_page(result):
    page = ROOT / "ops" / "performance.md"
    old = page.read_text() if page.exists() else "# Performance\n\nMeasured with `ops/bench`, newest last.\n"
    about = result["about"]
    page.write_text(old.rstrip("\n") + f"\n\n## {result['when'][:10]}, commit {about['commit']}\n\n"
                    f"{about['cores']} cores ({about['processor']}), Linux {about['kernel']}; {result['rounds']} rounds of "
                    f"{result['seconds']:g} s in turn with the ceiling; generator, servers and PostgreSQL (fsync on) on the same machine. "
                    f"Medians; CPU in microseconds per request.\n\n{result['table']}\n")
