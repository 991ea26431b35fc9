//! The accepted differences, `xtask/parity.txt`: a line each, with its reason behind `#`. `*` matches any text.

use regex::Regex;

/// The entries, each with whether a finding needs it.
pub(super) struct Allowed(Vec<Entry>);

struct Entry {
    text: String,
    pattern: Regex,
    is_needed: bool,
}

impl Allowed {
    /// Reads the file's text. Fails for an entry without a reason.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut entries = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let (entry, reason) = line.split_once('#').unwrap_or((line, ""));
            let entry = entry.trim();
            if entry.is_empty() {
                continue;
            }
            if reason.trim().is_empty() {
                return Err(format!("line {}: '{entry}' needs a reason behind '#'", index + 1));
            }
            let pattern = entry.split('*').map(regex::escape).collect::<Vec<_>>().join(".*");
            let pattern = Regex::new(&format!("^{pattern}$")).map_err(|error| error.to_string())?;
            entries.push(Entry { text: entry.to_owned(), pattern, is_needed: false });
        }
        Ok(Self(entries))
    }

    /// Whether an entry accepts a finding.
    pub(super) fn accepts(&mut self, finding: &str) -> bool {
        let mut is_accepted = false;
        for entry in self.0.iter_mut().filter(|entry| entry.pattern.is_match(finding)) {
            entry.is_needed = true;
            is_accepted = true;
        }
        is_accepted
    }

    /// Returns the entries that accepted nothing.
    pub(super) fn unneeded(&self) -> Vec<String> {
        self.0.iter().filter(|entry| !entry.is_needed).map(|entry| entry.text.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Allowed;

    #[test]
    fn an_entry_accepts_names_and_may_have_wildcards() {
        let text = "# Not served.\nplatform: code Agent*  # an add-on\nimport: field A.b # another type\n";
        let mut allowed = Allowed::read(text).unwrap();
        assert!(allowed.accepts("platform: code AgentFailed"));
        assert!(!allowed.accepts("import: field A.bc"));
        assert_eq!(allowed.unneeded(), ["import: field A.b"]);
    }

    #[test]
    fn an_entry_has_a_reason() {
        assert_eq!(
            Allowed::read("\nimport: field A.b\n").err().unwrap(),
            "line 2: 'import: field A.b' needs a reason behind '#'"
        );
    }
}
