#![no_main]
wordline_fuzz::trace_target!("fiu");
