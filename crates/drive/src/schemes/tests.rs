use super::*;

fn slip(text: &str) -> String {
    scheme(text).unwrap_err().to_string()
}

fn keys(text: &str) -> Leaves {
    leaves_of(&scheme(text).unwrap()).unwrap()
}

#[test]
fn a_combination_has_the_keys_of_all_its_parts() {
    let both = keys("suspend+dynamic+gc.policy=fifo");
    let has = |name: &str| {
        let mut alone = keys(name);
        alone.retain(|key, _| !is_title(key));
        assert!(!alone.is_empty() && alone.iter().all(|(key, value)| both.get(key) == Some(value)), "{name}");
    };
    has("suspend");
    has("dynamic");
    has("gc.policy=fifo");
    assert_eq!(both.get(&vec!["name".to_owned()]).unwrap().as_str(), Some("suspend+dynamic+gc.policy=fifo"));
}

#[test]
fn a_key_takes_the_place_of_what_a_preset_has() {
    for text in ["rails+array.read_window_ns=0", "array.read_window_ns=0+rails"] {
        assert!(scheme(text).unwrap().toml.contains("array.read_window_ns = 0\n"), "{text}");
    }
}

#[test]
fn an_array_is_told_by_its_layout() {
    for text in ["mirror+array.members=3", "mirror+mirror", "mirror+rails", "stripe+array.chunk_bytes=8192"] {
        scheme(text).unwrap();
    }
    assert!(slip("stripe+rails").contains("stripe (stripe) and rails (mirror) both fill the slot `array`"));
}

#[test]
fn what_does_not_go_together_is_named() {
    assert!(slip("fifo+suspend").contains("fifo (fifo) and suspend"), "{}", slip("fifo+suspend"));
    assert!(slip("fifo+suspend").contains("both fill the slot `scheduler`"));
    assert!(slip("gc.trigger=0.1+gc.trigger=0.2").contains("scheme.gc.trigger is 0.1 in"));
    assert!(slip("suspend+").contains("names joined by +"));
    assert!(slip("suspend+gc.polcy=fifo").contains("gc.polcy"));
    assert!(slip("gc.policy=best").contains("scheme.gc.policy"));
    assert!(slip("sspend").contains("did you mean `suspend`"));
}
