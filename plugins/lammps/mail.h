/* Messages between ranks: of all with all when atoms have moved to other ranks, and between
 * neighbours in each step. */
#ifndef RATTLE_LAMMPS_MAIL_H
#define RATTLE_LAMMPS_MAIL_H
#include <mpi.h>
#include <unordered_map>
#include <vector>

#include "lmptype.h"

namespace rattle_any {

using LAMMPS_NS::tagint;

/* Numbers for each rank, or from each. Tags are numbers too, exact up to 2^53. */
typedef std::vector<std::vector<double>> mail;

mail trade(MPI_Comm world, const mail &out);

/* A rank's message about an atom of its own. */
struct record {
  tagint tag;
  int rank, type, mask;
  double mass;
};

/* The records of `wanted` atoms among those that all ranks have entered. A tag that nobody entered
 * is left out. */
std::unordered_map<tagint, record> look_up(MPI_Comm world, const std::vector<record> &entered,
                                           const std::vector<tagint> &wanted);

/* The traffic of each step: values of atoms to the ranks that solve their clusters, and back. */
class traffic {
public:
  struct partner {
    int rank;
    std::vector<int> index;
    std::vector<double> buffer;
  };
  std::vector<partner> home; /* atoms of this rank that others solve: their local numbers */
  std::vector<partner>
      guest; /* atoms of others that are solved here: their numbers in the clusters */

  /* pack(local number, buffer), unpack(number in the clusters, buffer): `width` values of an
   * atom. */
  template <class Pack, class Unpack>
  void forward(MPI_Comm world, int width, Pack pack, Unpack unpack) {
    send(world, width, home, guest, pack, unpack);
  }
  /* pack(number in the clusters, buffer), unpack(local number, buffer) */
  template <class Pack, class Unpack>
  void back(MPI_Comm world, int width, Pack pack, Unpack unpack) {
    send(world, width, guest, home, pack, unpack);
  }
  double bytes() const;

private:
  std::vector<MPI_Request> request;

  template <class Pack, class Unpack>
  void send(MPI_Comm world, int width, std::vector<partner> &from, std::vector<partner> &to,
            Pack pack, Unpack unpack) {
    enum { TAG = 7711 };
    request.clear();
    request.reserve(from.size() + to.size());
    for (partner &p : to) {
      p.buffer.resize(p.index.size() * width);
      request.emplace_back();
      MPI_Irecv(p.buffer.data(), (int)p.buffer.size(), MPI_DOUBLE, p.rank, TAG, world,
                &request.back());
    }
    for (partner &p : from) {
      p.buffer.resize(p.index.size() * width);
      double *at = p.buffer.data();
      for (int i : p.index) pack(i, at), at += width;
      request.emplace_back();
      MPI_Isend(p.buffer.data(), (int)p.buffer.size(), MPI_DOUBLE, p.rank, TAG, world,
                &request.back());
    }
    MPI_Waitall((int)request.size(), request.data(), MPI_STATUSES_IGNORE);
    for (partner &p : to) {
      const double *at = p.buffer.data();
      for (int i : p.index) unpack(i, at), at += width;
    }
  }
};

} // namespace rattle_any

#endif
