"""What bench/bonds_peers runs: one file an engine, each with MEASURED, missing, version and contenders.

contenders(case, molecules, build, folder) gives pairs of a name and a function, whose call gives nanoseconds a bond, the largest relative error of a
bond and the largest rate of one in nm/ps."""
