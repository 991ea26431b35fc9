//! Checks whether the calls that clients made to one document are linearizable, i.e. could have happened one after the
//! other.
//!
//! A document with a version is a register with compare-and-set: a write names the current version and creates the next
//! one. So the version orders the calls: first the write that created version 2, then the reads of 2, then the write
//! that created 3. A history is linearizable if and only if no call that ended before another one began comes after it
//! in this order, each version was created once, and each read returned the value of the write that created its
//! version. A write without a response may have happened at any time after it began, or never.

use std::collections::HashMap;

/// A call from the view of the client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClientCall {
    /// The start time, by a clock that all clients share.
    pub(crate) began: u64,
    /// The end time; `None` without a response.
    pub(crate) ended: Option<u64>,
    pub(crate) saw: CallResult,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CallResult {
    /// A read returned this version and value.
    Read(u64, String),
    /// A write failed because the document was at this version.
    Refused(u64),
    /// A write created this version with this value, or may have if it got no response.
    Wrote(u64, String),
}

/// The version of all documents at the start, which no call created.
const FIRST: u64 = 1;

impl ClientCall {
    /// Returns the version that the call read, found or created.
    pub(crate) fn version(&self) -> u64 {
        match &self.saw {
            CallResult::Wrote(version, _) | CallResult::Read(version, _) | CallResult::Refused(version) => {
                *version
            }
        }
    }

    /// Returns the position of the call in the order of versions.
    fn rank(&self) -> u64 {
        match &self.saw {
            CallResult::Wrote(version, _) => 2 * version,
            CallResult::Read(version, _) | CallResult::Refused(version) => 2 * version + 1,
        }
    }
}

/// Checks a history. The error describes the contradiction.
pub(crate) fn check(history: &[ClientCall], first_value: &str) -> Result<(), String> {
    let mut happened: Vec<&ClientCall> = history.iter().filter(|call| call.ended.is_some()).collect();
    let newest = happened.iter().map(|call| call.version()).max().unwrap_or(FIRST);
    let mut values: HashMap<u64, &str> = HashMap::from([(FIRST, first_value)]);
    for call in &happened {
        if let CallResult::Wrote(version, value) = &call.saw
            && values.insert(*version, value).is_some()
        {
            return Err(format!("version {version} was made twice"));
        }
    }
    // Writes without a response: chooses the earliest one that could have created a missing version.
    for version in FIRST + 1..=newest {
        if values.contains_key(&version) {
            continue;
        }
        let seen = happened.iter().find_map(|call| match &call.saw {
            CallResult::Read(of, value) if *of == version => Some(value),
            _ => None,
        });
        let could = history.iter().filter(|call| call.ended.is_none()).filter(|call| match &call.saw {
            CallResult::Wrote(of, value) => *of == version && seen.is_none_or(|seen| seen == value),
            _ => false,
        });
        let Some(maker) = could.min_by_key(|call| call.began) else {
            return Err(format!("nobody made version {version}"));
        };
        if let CallResult::Wrote(_, value) = &maker.saw {
            values.insert(version, value);
        }
        happened.push(maker);
    }
    for call in &happened {
        if let CallResult::Read(version, value) = &call.saw
            && values.get(version) != Some(&value.as_str())
        {
            return Err(format!("version {version} was read as {value}, and is {:?}", values.get(version)));
        }
    }
    check_order(&mut happened)
}

/// Checks that no call that ended before another one began has a later position.
fn check_order(happened: &mut [&ClientCall]) -> Result<(), String> {
    let mut ends: Vec<&ClientCall> = happened.iter().filter(|call| call.ended.is_some()).copied().collect();
    ends.sort_by_key(|call| call.ended);
    happened.sort_by_key(|call| call.began);
    let mut ends = ends.into_iter().peekable();
    let mut last: Option<&ClientCall> = None;
    for call in happened.iter() {
        while let Some(ended) = ends.next_if(|ended| ended.ended.is_some_and(|end| end < call.began)) {
            if last.is_none_or(|last| ended.rank() > last.rank()) {
                last = Some(ended);
            }
        }
        if let Some(last) = last
            && last.rank() > call.rank()
        {
            return Err(format!("{last:?} had ended before {call:?}"));
        }
    }
    Ok(())
}

mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng as _, SeedableRng as _};

    fn call(began: u64, ended: u64, saw: CallResult) -> ClientCall {
        ClientCall { began, ended: Some(ended), saw }
    }

    fn wrote(version: u64, value: &str) -> CallResult {
        CallResult::Wrote(version, value.to_owned())
    }

    fn read(version: u64, value: &str) -> CallResult {
        CallResult::Read(version, value.to_owned())
    }

    #[test]
    fn rejects_impossible_histories() {
        let error = |history: &[ClientCall]| check(history, "a").unwrap_err();
        let stale = [call(0, 1, wrote(2, "b")), call(2, 3, read(1, "a"))];
        assert!(error(&stale).contains("had ended before"));
        let twice = [call(0, 9, wrote(2, "b")), call(0, 9, wrote(2, "c"))];
        assert_eq!(error(&twice), "version 2 was made twice");
        assert_eq!(error(&[call(0, 1, read(2, "b"))]), "nobody made version 2");
        let other = [call(0, 1, wrote(2, "b")), call(2, 3, read(2, "c"))];
        assert!(error(&other).contains("was read as c"));
        // A write without a response happens after it began.
        let late = [call(0, 1, read(2, "b")), ClientCall { began: 2, ended: None, saw: wrote(2, "b") }];
        assert!(error(&late).contains("had ended before"));
        let beside = [call(0, 5, wrote(2, "b")), call(2, 3, read(1, "a")), call(4, 6, read(2, "b"))];
        assert_eq!(check(&beside, "a"), Ok(()));
        let unknown =
            [ClientCall { began: 0, ended: None, saw: wrote(2, "b") }, call(1, 2, CallResult::Refused(2))];
        assert_eq!(check(&unknown, "a"), Ok(()));
    }

    /// Tries every order of the calls, as a reference for [`check`].
    fn is_possible(history: &[ClientCall], done: &mut Vec<usize>, version: u64, value: &str) -> bool {
        let is_open = |at: &usize| !done.contains(at);
        if (0..history.len()).filter(is_open).all(|at| history[at].ended.is_none()) {
            return true;
        }
        for at in (0..history.len()).filter(is_open).collect::<Vec<_>>() {
            let call = &history[at];
            // Calls that ended before this one began come first.
            let waits = (0..history.len())
                .filter(|other| !done.contains(other))
                .any(|other| history[other].ended.is_some_and(|end| end < call.began));
            let after = match &call.saw {
                CallResult::Read(of, seen) => (*of == version && seen == value).then_some((version, value)),
                CallResult::Refused(of) => (*of == version).then_some((version, value)),
                CallResult::Wrote(of, new) => (*of == version + 1).then_some((*of, new.as_str())),
            };
            let Some((version, value)) = after.filter(|_| !waits) else { continue };
            done.push(at);
            let is_possible = is_possible(history, done, version, value);
            done.pop();
            if is_possible {
                return true;
            }
        }
        false
    }

    #[test]
    fn agrees_with_trying_every_order() {
        let mut random = StdRng::seed_from_u64(7);
        let mut possible = 0;
        for _ in 0..20_000 {
            let history: Vec<ClientCall> = (0..random.random_range(1..6))
                .map(|number| {
                    let began = random.random_range(0..8);
                    let version = random.random_range(1..4);
                    // Each write has its own value; a read may return the value of any write.
                    let value = if version == 1 { 9 } else { random.random_range(0..3) };
                    let mut ended = Some(began + random.random_range(0..6));
                    let saw = match random.random_range(0..5) {
                        0 | 1 => wrote(random.random_range(2..4), &number.to_string()),
                        2 => {
                            ended = None;
                            wrote(random.random_range(2..4), &number.to_string())
                        }
                        3 => CallResult::Refused(version),
                        _ => read(version, &value.to_string()),
                    };
                    ClientCall { began, ended, saw }
                })
                .collect();
            let expected = is_possible(&history, &mut Vec::new(), FIRST, "9");
            possible += usize::from(expected);
            assert_eq!(check(&history, "9").is_ok(), expected, "{history:?}: {:?}", check(&history, "9"));
        }
        assert!(possible > 500, "{possible}");
    }
}
