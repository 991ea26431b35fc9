#!/bin/sh
# Checks the alerts and the dashboard of this folder, and says what is missing. Needs promtool (Debian: `prometheus`) and
# Python with PyYAML (Debian: `python3-yaml`). With KONTOR=path/to/kontor it also compares with what a server serves.
set -eu
cd "$(dirname "$0")"
export WORK="$(mktemp -d)"
trap 'rm -rf "$WORK"; [ -z "${SERVER:-}" ] || kill "$SERVER" 2>/dev/null' EXIT

promtool check rules ./*.rules.yaml
promtool test rules kontor.test.yaml

if [ -n "${KONTOR:-}" ]; then
  "$KONTOR" serve --in-memory --no-console --project check --client-id check --client-secret check --listen 127.0.0.1:0 >"$WORK/log" 2>&1 &
  SERVER=$!
  url=
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    url=$(sed -n 's/^kontor listening on //p' "$WORK/log")
    [ -z "$url" ] || break
    sleep 0.5
  done
  [ -n "$url" ] || { cat "$WORK/log"; exit 1; }
  curl -sS "$url/check/customers" >/dev/null
  curl -sS "$url/metrics" >"$WORK/metrics"
fi

python3 - <<'PYTHON'
import json, os, pathlib, re, subprocess, sys
import yaml

work = pathlib.Path(os.environ["WORK"])
root = pathlib.Path("../..")
problems = []

# The metrics of the source: literals of the macros, and constants.
macro = r'(?:describe_)?(?:counter|gauge|histogram)!\(\s*"(kontor_[a-z_]+)"'
constant = r'const [A-Z_]+: &str =\s*"(kontor_[a-z_]+)"'
source = set()
histograms = set()
for path in sorted(root.glob("crates/*/src/**/*.rs")):
    text = path.read_text()
    if "metrics" not in text and "counter!" not in text:
        continue
    source |= set(re.findall(macro, text)) | {
        name for name in re.findall(constant, text) if not name.endswith("_session")}
process = {f"process_{name}" for name in (
    "cpu_seconds_total", "resident_memory_bytes", "virtual_memory_bytes", "virtual_memory_max_bytes",
    "threads", "open_fds", "max_fds", "start_time_seconds")}
surroundings = {"probe_success", "node_filesystem_avail_bytes", "node_filesystem_size_bytes"}
known = source | process | {"up"}


def used_in(expression):
    return set(re.findall(r"\b((?:kontor|process|probe|node)_[a-z_]+|up)\b(?=\s*[{\[)]|\s|$)", expression))


def check(expression, where, allowed):
    used = set()
    for name in used_in(re.sub(r"\bby \([^)]*\)|\{[^}]*\}", lambda found: "{" if found[0][0] == "{" else "", expression)):
        plain = re.sub(r"_(bucket|sum|count)$", "", name)
        used.add(name if name in allowed else plain)
        if name not in allowed and plain not in allowed:
            problems.append(f"{where}: no such metric: {name}")
    if not used:
        problems.append(f"{where}: no metric in the expression")
    return used


alerts = {}
for file in ("kontor.rules.yaml", "surroundings.rules.yaml"):
    allowed = known if file.startswith("kontor") else surroundings
    for group in yaml.safe_load(pathlib.Path(file).read_text())["groups"]:
        for rule in group["rules"]:
            alerts[rule["alert"]] = rule
            check(rule["expr"], f"{file}: {rule['alert']}", allowed)

tested = set()
for test in yaml.safe_load(pathlib.Path("kontor.test.yaml").read_text())["tests"]:
    cases = test["alert_rule_test"]
    if any(case["exp_alerts"] for case in cases) and any(not case["exp_alerts"] for case in cases):
        tested |= {case["alertname"] for case in cases}

guide = (root / "docs/guide/monitoring.md").read_text()
headings = set(re.findall(r"^### (\w+)$", guide, re.M))
paging = guide.split("## Page an operator when", 1)[-1].split("\n## ", 1)[0]
for name, rule in alerts.items():
    if name not in tested:
        problems.append(f"{name}: no test that is quiet first and fires later")
    if name not in headings:
        problems.append(f"{name}: no section in docs/guide/monitoring.md")
    if rule["annotations"]["runbook"] != f"docs/guide/monitoring.md#{name.lower()}":
        problems.append(f"{name}: the annotation `runbook` names another section")
    pages = rule["labels"]["severity"] == "page"
    if pages != (f"#{name.lower()})" in paging):
        problems.append(f"{name}: severity {rule['labels']['severity']}, but the table of the guide says otherwise")
for name in sorted(headings - set(alerts)):
    if name.startswith("Kontor"):
        problems.append(f"docs/guide/monitoring.md: {name} is no alert")

# The expressions of the dashboard: metrics that exist, and PromQL that promtool accepts.
shown = set()
recorded = []
for panel in json.loads(pathlib.Path("dashboard.json").read_text())["panels"]:
    for target in panel.get("targets", []):
        shown |= check(target["expr"], f"dashboard.json: {panel['title']}", known)
        plain = target["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*").replace("$project", ".*")
        recorded.append({"record": f"panel:{len(recorded)}", "expr": plain})
(work / "panels.yaml").write_text(json.dumps({"groups": [{"name": "panels", "rules": recorded}]}))
parsed = subprocess.run(["promtool", "check", "rules", str(work / "panels.yaml")], capture_output=True, text=True)
if parsed.returncode:
    problems.append(f"dashboard.json: {parsed.stdout}{parsed.stderr}")
for name in sorted(source - shown):
    problems.append(f"dashboard.json: {name} is in no panel")
for name in sorted(source):
    if f"`{name}`" not in guide:
        problems.append(f"docs/guide/monitoring.md: {name} is not explained")

if (work / "metrics").exists():
    served = set(re.findall(r"^# TYPE (\w+)", (work / "metrics").read_text(), re.M))
    for name in sorted(served - source - process):
        problems.append(f"the server serves {name}, which is in no list here")
    for name in sorted(process - served):
        problems.append(f"the server does not serve {name}")
    print(f"The server serves {len(served)} of {len(source | process)} metrics at its start.")

print(f"{len(alerts)} alerts, {len(recorded)} expressions in the dashboard, {len(source)} metrics of Kontor.")
print("\n".join(problems) or "Nothing is missing.")
sys.exit(bool(problems))
PYTHON
