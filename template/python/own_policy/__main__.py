"""`python -m own_policy`."""

from own_policy import main

main()
