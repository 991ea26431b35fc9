//! Converts the effects of a rule that are no document changes, e.g. settings and counters, to writes of the commit.

use crate::effects::{CounterIncrement, Effects, HiddenWrite};
use crate::rules::Rules;
use crate::{document_writes, notification_queue};
use kontor_errors::ApiResult;
use kontor_storage::Write;

/// Returns the writes of effects apart from document changes.
pub(crate) fn effect_writes(mut effects: Effects, rules: &Rules<'_>) -> ApiResult<Vec<Write>> {
    let counter_increments = effects.take_counter_increments();
    let (settings, hidden) = effects.into_parts();
    let mut writes: Vec<Write> =
        settings.into_iter().map(|(name, value)| Write::Setting { name, value }).collect();
    for hidden in hidden {
        writes.extend(notification_queue::hidden_lines(&hidden, rules)?);
        writes.push(match hidden {
            HiddenWrite::Put(put) => Write::Put(put),
            HiddenWrite::Document(kind, _, document) => {
                Write::Put(document_writes::document_put(kind, document, 0, rules)?)
            }
            HiddenWrite::Delete { kind, id } => Write::Delete { kind, id, record: None },
        });
    }
    writes.extend(counter_increments.into_iter().map(|CounterIncrement { counter, at_most }| Write::Count {
        counter,
        add: 1,
        at_least: None,
        at_most,
    }));
    Ok(writes)
}
