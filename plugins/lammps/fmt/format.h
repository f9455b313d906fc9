/* The names of fmt that LAMMPS's headers mention in templates which the fix does not use. Debian's
 * liblammps-dev does not contain LAMMPS's own fmt; where the source of LAMMPS is given, its fmt is
 * found first. */
#ifndef RATTLE_LAMMPS_FMT_FORMAT_H
#define RATTLE_LAMMPS_FMT_FORMAT_H

namespace fmt {
class string_view;
class format_args;
template <typename... T, typename S> format_args make_args_checked(const S &, const T &...);
} // namespace fmt

#endif
