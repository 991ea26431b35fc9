//! Calculates eligible and pending approvers, tier by tier of each rule. The state follows from the approvals
//! alone: they are replayed in order, and each counts for the tier of each rule that was current at that
//! point.
//!
//! Source: reference types `ApproverHierarchy`, `ApproverConjunction`, `ApproverDisjunction`, `ApprovalFlow`
//! (`eligibleApprovers`, `pendingApprovers`, `currentTierPendingApprovers`), `ApprovalFlowApproveAction`.

use kontor_engine::Document;
use kontor_engine::document::list;
use kontor_json::{Value, json};

/// The progress of all rules of a flow.
pub(super) struct FlowProgress<'f> {
    rules: Vec<RuleProgress<'f>>,
}

/// The progress of one rule.
struct RuleProgress<'f> {
    tiers: Vec<Tier<'f>>,
    /// The index of the current tier; the number of tiers if all have approved.
    current: usize,
}

/// A conjunction of approvals: each element needs the approval of one of its roles.
type Tier<'f> = Vec<Disjunction<'f>>;

struct Disjunction<'f> {
    roles: Vec<&'f str>,
    is_approved: bool,
}

impl<'f> FlowProgress<'f> {
    /// After the approvals that the flow has.
    pub(super) fn from_flow(flow: &'f Document) -> Self {
        let rules = list(flow, &["rules"]).iter().map(|rule| RuleProgress { tiers: tiers(rule), current: 0 });
        let mut progress = Self { rules: rules.collect() };
        for approval in list(flow, &["approvals"]) {
            progress.approve(&roles_of(&approval["approver"]));
        }
        progress
    }

    fn approve(&mut self, roles: &[&str]) {
        for rule in &mut self.rules {
            let Some(tier) = rule.tiers.get_mut(rule.current) else { continue };
            for part in tier.iter_mut() {
                part.is_approved |= part.roles.iter().any(|role| roles.contains(role));
            }
            if tier.iter().all(|part| part.is_approved) {
                rule.current += 1;
            }
        }
    }

    /// Returns whether no approval is missing.
    pub(super) fn is_complete(&self) -> bool {
        self.rules.iter().all(|rule| rule.current == rule.tiers.len())
    }

    /// The roles of all tiers that are not approved yet.
    pub(super) fn eligible_roles(&self) -> Vec<&'f str> {
        unique_roles(self.parts(|_, _| true))
    }

    /// Returns the eligible approvers whose approval is missing.
    pub(super) fn pending_roles(&self) -> Vec<&'f str> {
        unique_roles(self.parts(|_, part| !part.is_approved))
    }

    /// Returns the pending roles of the current tiers.
    pub(super) fn pending_now(&self) -> Vec<&'f str> {
        unique_roles(self.parts(|is_current, part| is_current && !part.is_approved))
    }

    fn parts(&self, is_meant: impl Fn(bool, &Disjunction<'f>) -> bool) -> impl Iterator<Item = &'f str> {
        let tiers = self.rules.iter().flat_map(|rule| {
            let open = rule.tiers.iter().enumerate().skip(rule.current);
            open.map(|(position, tier)| (position == rule.current, tier))
        });
        let parts = tiers.flat_map(|(is_current, tier)| tier.iter().map(move |part| (is_current, part)));
        parts
            .filter(move |(is_current, part)| is_meant(*is_current, part))
            .flat_map(|(_, part)| part.roles.clone())
    }
}

/// Roles as documents have them.
pub(super) fn stored_roles(roles: &[&str]) -> Value {
    let of = |key: &&str| json!({"associateRole": {"typeId": "associate-role", "key": key}});
    roles.iter().map(of).collect()
}

/// The keys of the roles of an approver or rejecter.
fn roles_of(associate: &Value) -> Vec<&str> {
    let assignments = associate["associateRoleAssignments"].as_array().into_iter().flatten();
    assignments.filter_map(|assignment| assignment["associateRole"]["key"].as_str()).collect()
}

fn tiers(rule: &Value) -> Vec<Tier<'_>> {
    elements(&rule["approvers"]["tiers"])
        .map(|tier| {
            elements(&tier["and"])
                .map(|part| Disjunction { roles: keys(&part["or"]), is_approved: false })
                .collect()
        })
        .collect()
}

fn elements(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn keys(approvers: &Value) -> Vec<&str> {
    elements(approvers).filter_map(|approver| approver["associateRole"]["key"].as_str()).collect()
}

fn unique_roles<'f>(roles: impl Iterator<Item = &'f str>) -> Vec<&'f str> {
    let mut known = Vec::new();
    for role in roles {
        if !known.contains(&role) {
            known.push(role);
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::object;

    fn role(key: &str) -> Value {
        json!({"associateRole": {"typeId": "associate-role", "key": key}})
    }

    /// A rule: tiers of parts of roles.
    fn rule(tiers: &[&[&[&str]]]) -> Value {
        let part = |roles: &&[&str]| json!({"or": roles.iter().map(|key| role(key)).collect::<Vec<_>>()});
        let tier = |parts: &&[&[&str]]| json!({"and": parts.iter().map(part).collect::<Vec<_>>()});
        json!({"approvers": {"tiers": tiers.iter().map(tier).collect::<Vec<_>>()}})
    }

    fn flow(rules: &[Value], approvals: &[&str]) -> Document {
        let of = |key: &&str| json!({"approver": {"associateRoleAssignments": [role(key)]}});
        object(json!({"rules": rules, "approvals": approvals.iter().map(of).collect::<Vec<_>>()}))
    }

    fn assert_stands(flow: &Document, eligible: &[&str], pending: &[&str], now: &[&str]) {
        let progress = FlowProgress::from_flow(flow);
        assert_eq!(
            (progress.eligible_roles(), progress.pending_roles(), progress.pending_now()),
            (eligible.to_vec(), pending.to_vec(), now.to_vec())
        );
        assert_eq!(progress.is_complete(), pending.is_empty());
    }

    #[test]
    fn one_tier_comes_after_the_other_and_each_part_of_it_needs_one_role() {
        let rules = [rule(&[&[&["a", "b"], &["c"]], &[&["d"]]])];
        assert_stands(&flow(&rules, &[]), &["a", "b", "c", "d"], &["a", "b", "c", "d"], &["a", "b", "c"]);
        assert_stands(&flow(&rules, &["b"]), &["a", "b", "c", "d"], &["c", "d"], &["c"]);
        assert_stands(&flow(&rules, &["b", "c"]), &["d"], &["d"], &["d"]);
        assert_stands(&flow(&rules, &["b", "c", "d"]), &[], &[], &[]);
    }

    #[test]
    fn an_approver_in_two_tiers_approves_twice() {
        let rules = [rule(&[&[&["a"]], &[&["a"]]])];
        assert_stands(&flow(&rules, &["a"]), &["a"], &["a"], &["a"]);
        assert_stands(&flow(&rules, &["a", "a"]), &[], &[], &[]);
    }

    #[test]
    fn one_approval_counts_for_all_rules_whose_turn_it_is() {
        let rules = [rule(&[&[&["a"]]]), rule(&[&[&["b"]], &[&["a"]]])];
        assert_stands(&flow(&rules, &["a"]), &["b", "a"], &["b", "a"], &["b"]);
        assert_stands(&flow(&rules, &["a", "b"]), &["a"], &["a"], &["a"]);
    }
}
