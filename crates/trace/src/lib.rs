//! Readers and generators of block workloads.
