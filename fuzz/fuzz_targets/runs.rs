#![no_main]
wordline_fuzz::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    wordline_fuzz::runs::read(bytes);
});
