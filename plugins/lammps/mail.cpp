#include "mail.h"

namespace rattle_any {

mail trade(MPI_Comm world, const mail &out) {
  const int ranks = (int)out.size();
  std::vector<int> sent(ranks), got(ranks), from(ranks), to(ranks);
  for (int r = 0; r < ranks; r++) sent[r] = (int)out[r].size();
  MPI_Alltoall(sent.data(), 1, MPI_INT, got.data(), 1, MPI_INT, world);
  int all_sent = 0, all_got = 0;
  for (int r = 0; r < ranks; r++) {
    from[r] = all_sent, all_sent += sent[r];
    to[r] = all_got, all_got += got[r];
  }
  std::vector<double> outgoing, incoming(all_got);
  outgoing.reserve(all_sent);
  for (const std::vector<double> &part : out) outgoing.insert(outgoing.end(), part.begin(), part.end());
  MPI_Alltoallv(outgoing.data(), sent.data(), from.data(), MPI_DOUBLE, incoming.data(), got.data(), to.data(), MPI_DOUBLE, world);
  mail in(ranks);
  for (int r = 0; r < ranks; r++) in[r].assign(incoming.begin() + to[r], incoming.begin() + to[r] + got[r]);
  return in;
}

/* Each tag has a rank where its record and the questions for it meet. */
std::unordered_map<tagint, record> look_up(MPI_Comm world, const std::vector<record> &entered,
                                           const std::vector<tagint> &wanted) {
  int ranks;
  MPI_Comm_size(world, &ranks);
  mail entries(ranks), questions(ranks), answers(ranks);
  for (const record &r : entered)
    entries[r.tag % ranks].insert(entries[r.tag % ranks].end(),
                                  {(double)r.tag, (double)r.rank, (double)r.type, (double)r.mask, r.mass});
  for (tagint tag : wanted) questions[tag % ranks].push_back((double)tag);
  std::unordered_map<tagint, record> known, found;
  for (const std::vector<double> &part : trade(world, entries))
    for (size_t k = 0; k < part.size(); k += 5)
      known[(tagint)part[k]] = {(tagint)part[k], (int)part[k + 1], (int)part[k + 2], (int)part[k + 3], part[k + 4]};
  const mail asked = trade(world, questions);
  for (int r = 0; r < ranks; r++)
    for (double tag : asked[r]) {
      const auto at = known.find((tagint)tag);
      if (at == known.end()) continue;
      const record &e = at->second;
      answers[r].insert(answers[r].end(), {tag, (double)e.rank, (double)e.type, (double)e.mask, e.mass});
    }
  for (const std::vector<double> &part : trade(world, answers))
    for (size_t k = 0; k < part.size(); k += 5)
      found[(tagint)part[k]] = {(tagint)part[k], (int)part[k + 1], (int)part[k + 2], (int)part[k + 3], part[k + 4]};
  return found;
}

double traffic::bytes() const {
  double sum = 0;
  for (const std::vector<partner> *side : {&home, &guest})
    for (const partner &p : *side) sum += (double)(p.index.capacity() * sizeof(int) + p.buffer.capacity() * sizeof(double));
  return sum;
}

} // namespace rattle_any
