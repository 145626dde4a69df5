"""Profiles of workloads whose traces nobody may pass on, a module for each way of making one."""
