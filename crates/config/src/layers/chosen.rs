//! A later layer that chooses another policy, or another of several keys that say the same thing: what the earlier ones say for
//! theirs alone means nothing to it.

use crate::owned::{ALL, Slot};
use crate::tree::{Content, Entries};

/// Keys of a table of which exactly one is given.
const EITHER: [(&[&str], [&str; 2]); 1] = [(&["device", "capacity"], ["overprovisioning", "user_bytes"])];

/// Takes out of the earlier layers what only the choices that a later layer replaces would read.
pub(super) fn leave_out_unread(earlier: &mut Entries, later: &Entries) {
    for (path, [one, other]) in EITHER {
        let path = || path.iter().copied();
        for (given, left_out) in [(one, other), (other, one)] {
            let has = |key| below(later, path()).is_some_and(|table| table.contains_key(key));
            if has(given) && !has(left_out) {
                below_mut(earlier, path()).map(|table| table.remove(left_out));
            }
        }
    }
    for (path, slots) in ALL {
        for slot in slots {
            let Some(chosen) = table(later, path, slot).and_then(|table| choice(table, slot)) else {
                continue;
            };
            let Some(table) = table_mut(earlier, path, slot) else { continue };
            let before = choice(table, slot);
            let before = before.as_deref().or(slot.choices.first().copied());
            if before != Some(chosen.as_str()) {
                table.retain(|key, _| slot.reads(&chosen, key));
            }
        }
    }
}

fn table<'a>(entries: &'a Entries, path: &'a str, slot: &'a Slot) -> Option<&'a Entries> {
    below(entries, path.split('.').chain([slot.table]))
}

fn table_mut<'a>(entries: &'a mut Entries, path: &'a str, slot: &'a Slot) -> Option<&'a mut Entries> {
    below_mut(entries, path.split('.').chain([slot.table]))
}

fn below<'a>(entries: &'a Entries, mut path: impl Iterator<Item = &'a str>) -> Option<&'a Entries> {
    path.try_fold(entries, |entries, key| match &entries.get(key)?.content {
        Content::Table(entries) => Some(entries),
        _ => None,
    })
}

pub(super) fn below_mut<'a>(
    entries: &'a mut Entries,
    mut path: impl Iterator<Item = &'a str>,
) -> Option<&'a mut Entries> {
    path.try_fold(entries, |entries, key| match &mut entries.get_mut(key)?.content {
        Content::Table(entries) => Some(entries),
        _ => None,
    })
}

fn choice(table: &Entries, slot: &Slot) -> Option<String> {
    match &table.get(slot.choice)?.content {
        Content::Leaf(toml::Value::String(text)) => Some(text.clone()),
        Content::Leaf(toml::Value::Boolean(on)) => Some(on.to_string()),
        _ => None,
    }
}
