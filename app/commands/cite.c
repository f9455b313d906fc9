/* rattle cite: the literature of what a run used, as BibTeX. */
#include <stdlib.h>
#include <string.h>

#include "base/cli.h"
#include "words/citation.h"
#include "words/text.h"

static const cli_option options[] = {CLI_PLUGIN_OPTION, {NULL, 0, NULL, NULL}};

/* A reference, and the row that gives it. */
typedef struct cited {
  const rattle_method_row *row;
  text_reference reference;
} cited;

typedef struct bibliography {
  cited *of;
  int count, room;
  const char *versions[CLI_MOST_OPERANDS]; /* of librattle, once each */
  int version_count;
  rattle_record *record[CLI_MOST_OPERANDS]; /* which hold texts of it */
} bibliography;

static rattle_status add_row(bibliography *all, const rattle_method_row *row, rattle_error *error) {
  for (int i = 0; i < all->count; i++)
    if (all->of[i].row == row) return RATTLE_OK;
  text_reference reference;
  for (const char *at = row->citation; text_next_reference(&at, &reference);) {
    if (all->count == all->room) {
      all->room = 2 * all->room + 16;
      cited *more = realloc(all->of, (size_t)all->room * sizeof *more);
      if (!more) return text_no_memory(error);
      all->of = more;
    }
    all->of[all->count++] = (cited){row, reference};
  }
  return RATTLE_OK;
}

static rattle_status add_method(bibliography *all, const char *expression, rattle_error *error) {
  rattle_method *method = NULL;
  rattle_status status = rattle_method_parse(&method, expression, error);
  if (status) return status;
  const char *text = rattle_method_text(method), *at = text;
  for (const rattle_method_row *row; !status && (row = text_next_row(text, &at));)
    status = add_row(all, row, error);
  rattle_method_destroy(&method);
  return status;
}

static void add_version(bibliography *all, const char *version) {
  for (int i = 0; i < all->version_count; i++)
    if (!strcmp(all->versions[i], version)) return;
  all->versions[all->version_count++] = version;
}

static rattle_status add_record(bibliography *all, int i, const char *path, rattle_error *error) {
  rattle_status status = rattle_record_open(&all->record[i], path, error);
  if (status) return status;
  const rattle_record_info *info = rattle_record_info_of(all->record[i]);
  status = add_method(all, info->method, error);
  /* which of them solved for the multipliers the method leaves open, and the record says */
  const rattle_method_row *solver = text_find_row(info->solver, strlen(info->solver));
  if (!status && solver) status = add_row(all, solver, error);
  add_version(all, info->version);
  return status;
}

static rattle_status add_operand(bibliography *all, int i, const char *operand,
                                 rattle_error *error) {
  const size_t length = strlen(operand);
  if (cli_is_record(operand)) return add_record(all, i, operand, error);
  if (length > 3 && !strcmp(operand + length - 3, ".h5")) {
    const rattle_status status = cli_check_input(operand, error);
    return status ? status : add_record(all, i, operand, error);
  }
  add_version(all, rattle_version());
  return add_method(all, operand, error);
}

static int is_first(const bibliography *all, int i) {
  for (int j = 0; j < i; j++)
    if (text_same_work(&all->of[j].reference, &all->of[i].reference)) return 0;
  return 1;
}

/* Works of one author and year have letters. */
static char letter(const bibliography *all, int i) {
  char key[64], other[64];
  int before = 0, others = 0;
  text_key(&all->of[i].reference, key, sizeof key);
  for (int j = 0; j < all->count; j++) {
    if (!is_first(all, j)) continue;
    text_key(&all->of[j].reference, other, sizeof other);
    if (strcmp(key, other)) continue;
    others++, before += j < i;
  }
  return others > 1 ? (char)('a' + before) : 0;
}

/* Comments of BibTeX: all outside entries. */
static void print_uses(const bibliography *all, int i) {
  for (int j = i; j < all->count; j++) {
    const cited *of = &all->of[j];
    if (!text_same_work(&all->of[i].reference, &of->reference)) continue;
    const text_part detail = of->reference.detail;
    cli_print(stdout, "%% %s%s%.*s\n", of->row->name, detail.length ? ": " : "", detail.length,
              detail.at);
  }
}

static void print(const bibliography *all) {
  for (int i = 0; i < all->version_count; i++)
    cli_print(stdout,
              "@misc{librattle-%s,\n  author  = {{The librattle authors}},\n"
              "  title   = {librattle: constrained Hamiltonian systems},\n"
              "  note    = {version %s}\n}\n",
              all->versions[i], all->versions[i]);
  for (int i = 0; i < all->count; i++) {
    if (!is_first(all, i)) continue;
    putchar('\n');
    print_uses(all, i);
    text_put_bibtex(stdout, &all->of[i].reference, letter(all, i));
  }
}

static int cite(const cli_args *args) {
  bibliography all = {0};
  rattle_error error = {0};
  rattle_status status = cli_load_plugins(args, &error);
  for (int i = 0; i < args->operands && !status; i++)
    status = add_operand(&all, i, args->operand[i], &error);
  if (!status) print(&all);
  for (int i = 0; i < args->operands; i++) rattle_record_close(&all.record[i]);
  free(all.of);
  return status ? cli_end_badly(args, &error, 0) : CLI_DONE;
}

const cli_command cli_cite = {
    "cite",
    "OUT.h5|EXPR...",
    "Prints the literature of the methods of records, or of method expressions, as BibTeX.",
    1,
    CLI_MOST_OPERANDS,
    "Each entry has the references of the table of methods; the lines before it name the methods, "
    "and the section.\n"
    "The table has no titles of papers: BibTeX warns of that.\n",
    options,
    cite};
