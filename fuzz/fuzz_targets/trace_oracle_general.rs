#![no_main]
wordline_fuzz::trace_target!("oracle_general");
