"""What bench/mechanisms_peers runs: the systems (systems.py), the reference (reference.py, reference.json), the engines (engines.py and a program for each),
rounds (rounds.py) and tables (tables.py)."""
