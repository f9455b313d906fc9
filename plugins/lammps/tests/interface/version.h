#define LAMMPS_VERSION "of the tests"
