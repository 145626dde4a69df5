//! A later layer that chooses another policy: what the earlier ones say for theirs alone means nothing to it.

use crate::owned::{ALL, Slot};
use crate::tree::{Content, Entries};

/// Takes out of the earlier layers what only the choices that a later layer replaces would read.
pub(super) fn leave_out_unread(earlier: &mut Entries, later: &Entries) {
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

fn table<'a>(entries: &'a Entries, path: &str, slot: &Slot) -> Option<&'a Entries> {
    path.split('.').chain([slot.table]).try_fold(entries, |entries, key| match &entries.get(key)?.content {
        Content::Table(entries) => Some(entries),
        _ => None,
    })
}

fn table_mut<'a>(entries: &'a mut Entries, path: &str, slot: &Slot) -> Option<&'a mut Entries> {
    path.split('.').chain([slot.table]).try_fold(entries, |entries, key| {
        match &mut entries.get_mut(key)?.content {
            Content::Table(entries) => Some(entries),
            _ => None,
        }
    })
}

fn choice(table: &Entries, slot: &Slot) -> Option<String> {
    match &table.get(slot.choice)?.content {
        Content::Leaf(toml::Value::String(text)) => Some(text.clone()),
        Content::Leaf(toml::Value::Boolean(on)) => Some(on.to_string()),
        _ => None,
    }
}
