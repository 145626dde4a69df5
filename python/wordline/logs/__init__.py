"""Logs of other tools: what iostat and fio measured on a real drive."""
