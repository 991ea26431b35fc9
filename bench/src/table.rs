//! The table of results: ratios with the figures behind them, and whether the targets are met. Rows go to
//! `bench/README.md`.

use anyhow::Context as _;
use std::fmt::Write as _;
use std::path::Path;

const BEGIN: &str = "<!-- results: written by `cargo xtask bench --write` -->";
const END: &str = "<!-- end of results -->";
/// A figure that misses its target by more than this share is bold in the table.
const MISSED_BY_MAX: f64 = 0.2;

/// A row of the table.
#[derive(Debug, Clone)]
pub(crate) struct BenchRow {
    /// The name of the measurement. It identifies the row in the README.
    pub(crate) name: String,
    /// The figure that the target is about.
    pub(crate) value: f64,
    /// The unit after the figure: `×` for a ratio.
    pub(crate) unit: &'static str,
    pub(crate) target: BenchTarget,
    /// Figures of Kontor.
    pub(crate) kontor: String,
    /// Figures of the peer or baseline.
    pub(crate) comparison: String,
}

/// The target of a figure.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BenchTarget {
    AtMost(f64),
    AtLeast(f64),
    /// The row has no target.
    None,
}

impl BenchRow {
    fn verdict(&self) -> String {
        let missed_by = match self.target {
            BenchTarget::None => return "-".into(),
            BenchTarget::AtMost(target) => self.value / target - 1.0,
            BenchTarget::AtLeast(target) => 1.0 - self.value / target,
        };
        if missed_by <= 0.0 {
            "met".into()
        } else if missed_by <= MISSED_BY_MAX {
            format!("missed by {:.0} %", missed_by * 100.0)
        } else {
            format!("**missed by {:.0} %**", missed_by * 100.0)
        }
    }

    fn line(&self) -> String {
        let target = match self.target {
            BenchTarget::None => "-".into(),
            BenchTarget::AtMost(target) => format!("≤ {}{}", rounded(target), self.unit),
            BenchTarget::AtLeast(target) => format!("≥ {}{}", rounded(target), self.unit),
        };
        let value = format!("{}{}", figure(self.value), self.unit);
        let verdict = self.verdict();
        format!("| {} | {value} | {target} | {verdict} | {} | {} |", self.name, self.kontor, self.comparison)
    }
}

/// Rounds a target for display: some are quotients.
fn rounded(target: f64) -> f64 {
    (target * 100.0).round() / 100.0
}

/// Formats a number with three significant digits.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A number with its thousands apart: `100,000`.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The rows so far.
#[derive(Debug, Default)]
pub(crate) struct BenchTable(Vec<BenchRow>);

impl BenchTable {
    /// Adds a row and shows it.
    pub(crate) fn add(&mut self, row: BenchRow) {
        eprintln!("{}", row.line());
        self.0.push(row);
    }

    /// Formats the table as Markdown, after a line about the machine.
    pub(crate) fn markdown(&self, machine: &str) -> String {
        let mut text =
            format!("{machine}\n\n| what | measured | target | verdict | Kontor | compared with |\n");
        text.push_str("|---|---:|---:|---|---|---|\n");
        for row in &self.0 {
            // Writing into a text cannot fail.
            let _ = writeln!(text, "{}", row.line());
        }
        text
    }
}

/// Puts the results of a whole run between the markers of a file.
pub(crate) fn write_into(file: &Path, results: &str) -> anyhow::Result<()> {
    rewrite(file, |text| replace_between(text, results))
}

/// Replaces the rows of some scenarios in the first table between the markers, by row name; appends rows that are
/// new.
pub(crate) fn write_rows_into(file: &Path, table: &BenchTable) -> anyhow::Result<()> {
    rewrite(file, |text| {
        let (_, rest) = text.split_once(BEGIN)?;
        let (results, _) = rest.split_once(END)?;
        replace_between(text, &with_rows(results, &table.0)?)
    })
}

fn rewrite(file: &Path, change: impl FnOnce(&str) -> Option<String>) -> anyhow::Result<()> {
    let text = fs_err::read_to_string(file)?;
    let changed = change(&text).with_context(|| format!("no markers, or no table, in {}", file.display()))?;
    fs_err::write(file, changed)?;
    Ok(())
}

fn with_rows(results: &str, rows: &[BenchRow]) -> Option<String> {
    let mut lines: Vec<String> = results.trim().lines().map(str::to_owned).collect();
    let first = lines.iter().position(|line| line.starts_with("|---"))? + 1;
    for row in rows {
        let is_it = |line: &String| line.starts_with(&format!("| {} |", row.name));
        let end = first + lines[first..].iter().take_while(|line| line.starts_with('|')).count();
        match lines[first..end].iter().position(is_it) {
            Some(at) => lines[first + at] = row.line(),
            None => lines.insert(end, row.line()),
        }
    }
    Some(lines.join("\n"))
}

fn replace_between(text: &str, results: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{results}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: f64, target: BenchTarget) -> BenchRow {
        BenchRow { name: "GET".into(), value, unit: "×", target, kontor: "a".into(), comparison: "b".into() }
    }

    #[test]
    fn a_target_is_met_missed_or_missed_by_far() {
        assert_eq!(row(1.5, BenchTarget::AtMost(1.5)).verdict(), "met");
        assert_eq!(row(1.65, BenchTarget::AtMost(1.5)).verdict(), "missed by 10 %");
        assert_eq!(row(3.0, BenchTarget::AtMost(1.5)).verdict(), "**missed by 100 %**");
        assert_eq!(row(0.7, BenchTarget::AtLeast(0.6)).verdict(), "met");
        assert_eq!(row(0.3, BenchTarget::AtLeast(0.6)).verdict(), "**missed by 50 %**");
        assert_eq!(row(1.0, BenchTarget::None).line(), "| GET | 1.00× | - | - | a | b |");
        assert!(row(2.0, BenchTarget::AtMost(136.0 / 60.0)).line().contains("| ≤ 2.27× |"));
        assert!(row(2.0, BenchTarget::AtMost(6.0)).line().contains("| ≤ 6× |"));
    }

    #[test]
    fn rows_of_one_scenario_take_the_places_of_those_before() {
        let old = "machine\n\n| what | measured |\n|---|---|\n| GET | old |\n| other | old |\n\nmore\n| GET | older |\n";
        let new = BenchRow { name: "new".into(), ..row(2.0, BenchTarget::None) };
        let changed = with_rows(old, &[row(1.0, BenchTarget::None), new]).unwrap();
        let expected = "machine\n\n| what | measured |\n|---|---|\n| GET | 1.00× | - | - | a | b |\n| other | old |\n\
                        | new | 2.00× | - | - | a | b |\n\nmore\n| GET | older |";
        assert_eq!(changed, expected);
        assert!(with_rows("no table", &[]).is_none());
    }

    #[test]
    fn results_replace_those_of_the_last_run_and_nothing_else() {
        let text = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let once = replace_between(&text, "new").unwrap();
        assert_eq!(once, format!("before\n{BEGIN}\n\nnew\n{END}\nafter\n"));
        assert_eq!(replace_between(&once, "new").unwrap(), once);
        assert!(replace_between("no markers", "new").is_none());
    }
}
