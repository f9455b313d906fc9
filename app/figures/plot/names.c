/* Names: in lists, as labels of curves, and as they are typeset. gnuplot's enhanced text: {/:Italic
 * x}_{3}; the characters ^ _ { } @ & ~ \ are markup. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/utf8.h"
#include "figures/plot/plot.h"
#include "words/text.h"

char *plot_printf(const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char *text = length < 0 ? NULL : malloc((size_t)length + 1);
  if (text) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

static size_t character(const char *s) {
  return (size_t)rattle__utf8_length(s);
}

/* Markup gets a backslash before it; what a reader would obey is shown by its number, whose
 * backslash gets one too. */
static char *escape(const char *text, size_t size) {
  enum { LONGEST = 9 };
  char *escaped = malloc(LONGEST * size + 1), *to = escaped;
  if (!escaped) return NULL;
  for (size_t i = 0; i < size;) {
    unsigned code;
    int shown;
    size_t length = (size_t)text_next(text + i, &code, &shown);
    if (text[i] == '\n' || text[i] == '\t') {
      *to++ = ' ';
    } else if (!shown || i + length > size) {
      to += snprintf(to, LONGEST + 1, "\\\\u%04x", code);
    } else {
      if (strchr("^_{}@&~\\", text[i])) *to++ = '\\';
      memcpy(to, text + i, length);
      to += length;
    }
    i += length;
  }
  *to = 0;
  return escaped;
}

char *plot_plain(const char *text) {
  return escape(text, strlen(text));
}

/* Powers are raised: "nm2 ps-2". */
char *plot_unit(const char *unit) {
  char *made = strdup("");
  while (made && *unit) {
    const size_t word = strcspn(unit, " "), name = strcspn(unit, "-0123456789 ");
    char *escaped = escape(unit, name);
    const int power = (int)(word - name), minus = power > 0 && unit[name] == '-';
    char *next = escaped ? plot_printf("%s%s%s%s%s%.*s%s", made, *made ? " " : "", escaped,
                                       power ? "^{" : "", minus ? "−" : "", power - minus,
                                       unit + name + minus, power ? "}" : "")
                         : NULL;
    free(escaped), free(made);
    made = next;
    unit += word + (unit[word] == ' ');
  }
  return made;
}

static const struct {
  const char *name, *letter;
} greek[] = {{"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"}, {"epsilon", "ε"},
             {"zeta", "ζ"},  {"eta", "η"},   {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"},
             {"mu", "μ"},    {"nu", "ν"},    {"xi", "ξ"},    {"pi", "π"},    {"rho", "ρ"},
             {"sigma", "σ"}, {"tau", "τ"},   {"phi", "φ"},   {"chi", "χ"},   {"psi", "ψ"},
             {"omega", "ω"}, {"Gamma", "Γ"}, {"Delta", "Δ"}, {"Theta", "Θ"}, {"Lambda", "Λ"},
             {"Xi", "Ξ"},    {"Sigma", "Σ"}, {"Phi", "Φ"},   {"Psi", "Ψ"},   {"Omega", "Ω"}};

static const char *greek_letter(const char *name, size_t size) {
  for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
    if (strlen(greek[i].name) == size && !memcmp(greek[i].name, name, size)) return greek[i].letter;
  return NULL;
}

/* A letter in italics, a Greek one by its name; other words upright. NULL: no memory. */
static char *base(const char *name, size_t size) {
  const char *letter = greek_letter(name, size);
  if (letter) return plot_printf("{/:Italic %s}", letter);
  char *escaped = escape(name, size);
  if (!escaped || size != character(name) ||
      !(isalpha((unsigned char)*name) || (unsigned char)*name >= 0x80))
    return escaped;
  char *italic = plot_printf("{/:Italic %s}", escaped);
  free(escaped);
  return italic;
}

/* The end of what a _ or ^ at s[0] applies to: {...}, a number, or one character. */
static size_t script_end(const char *s, size_t size) {
  size_t end = 1;
  if (end < size && isdigit((unsigned char)s[end])) {
    while (end < size && isdigit((unsigned char)s[end])) end++;
    return end;
  }
  if (end >= size || s[end] != '{') return end < size ? end + character(s + end) : end;
  for (int depth = 0; end < size;) {
    depth += (s[end] == '{') - (s[end] == '}');
    end++;
    if (!depth) break;
  }
  return end;
}

static void put_formula(FILE *out, const char *s, size_t size) {
  size_t script = 0; /* where the one before ended */
  for (size_t i = 0; i < size;) {
    size_t end = i;
    if (s[i] == '_' || s[i] == '^') {
      end = i + script_end(s + i, size - i);
      const int inside = i + 1 < end && s[i + 1] == '{';
      const int stacked =
          /* @: the next one above it, not after it */
          end < size && script != i && (s[end] == '_' || s[end] == '^');
      fprintf(out, "%s%c{", stacked ? "@" : "", s[i]);
      put_formula(out, s + i + 1 + inside, end - i - 1 - 2 * (size_t)inside);
      putc('}', out);
      script = end;
    } else if (isalpha((unsigned char)s[i])) {
      while (end < size && isalpha((unsigned char)s[end])) end++;
      char *word = base(s + i, end - i);
      fputs(word ? word : "", out);
      free(word);
    } else {
      end += character(s + i);
      char *shown = s[i] == '-' ? strdup("−") : s[i] == '*' ? strdup("∗") : escape(s + i, end - i);
      fputs(shown ? shown : "", out);
      free(shown);
    }
    i = end;
  }
}

char *plot_text(const char *text) {
  char *made = NULL;
  size_t size;
  FILE *out = open_memstream(&made, &size);
  if (!out) return NULL;
  for (int formula = 0;; formula = !formula) {
    const size_t length = strcspn(text, "$");
    char *words = formula ? NULL : escape(text, length);
    if (formula)
      put_formula(out, text, length);
    else
      fputs(words ? words : "", out);
    free(words);
    if (!text[length]) break;
    text += length + 1;
  }
  if (fclose(out)) return free(made), NULL;
  return made;
}

/* A momentum "px" or "ptheta" is p with the coordinate as an index. */
static int is_momentum(const char *name, size_t size) {
  return size > 1 && name[0] == 'p' && !greek_letter(name, size) &&
         !isdigit((unsigned char)name[1]) &&
         (size - 1 == character(name + 1) || greek_letter(name + 1, size - 1));
}

/* The index that ends a name: x[3] has the index 3, x12 the index 12. Sizes of the name without it,
 * and of the index; *index NULL: none. */
static size_t split(const char *name, const char **index, size_t *index_size) {
  size_t size = strlen(name), letters = size;
  const char *bracket = strchr(name, '[');
  *index = NULL, *index_size = 0;
  if (bracket && bracket > name && name[size - 1] == ']') {
    *index = bracket + 1, *index_size = size - 2 - (size_t)(bracket - name);
    return (size_t)(bracket - name);
  }
  while (letters > 0 && isdigit((unsigned char)name[letters - 1])) letters--;
  if (letters == size || letters == 0) return size;
  if (letters != character(name) && !greek_letter(name, letters) && !is_momentum(name, letters))
    return size;
  *index = name + letters, *index_size = size - letters;
  return letters;
}

/* The first `size` bytes of a name, with an index (may be ""). */
static char *compose(const char *name, size_t size, const char *index, size_t index_size) {
  int momentum = is_momentum(name, size);
  char *letter = momentum ? base(name + 1, size - 1) : base(name, size);
  char *lower = escape(index, index_size), *symbol = NULL;
  if (letter && lower && momentum)
    symbol = plot_printf("{/:Italic p}_{%s%s}", letter, lower);
  else if (letter && lower)
    symbol = *lower ? plot_printf("%s_{%s}", letter, lower) : plot_printf("%s", letter);
  free(letter), free(lower);
  return symbol;
}

char *plot_symbol(const char *name) {
  const char *index;
  size_t index_size, size = split(name, &index, &index_size);
  return compose(name, size, index ? index : "", index_size);
}

char *plot_family(const char *names) {
  char *family = NULL;
  for (const char *list = names; list;) {
    const char *index;
    size_t index_size;
    char *name = plot_next_name(&list);
    if (!name) return free(family), NULL;
    size_t size = split(name, &index, &index_size);
    int same = !family || (strlen(family) == size && !memcmp(family, name, size));
    free(family);
    name[size] = 0;
    family = name;
    if (!same) return free(family), strdup("");
  }
  char *symbol = compose(family, strlen(family), "", 0);
  free(family);
  return symbol;
}

char *plot_next_name(const char **list) {
  int depth = 0;
  const char *begin = *list, *end = begin;
  for (; *end && (*end != ',' || depth > 0); end++)
    depth += (*end == '[' || *end == '(') - (*end == ']' || *end == ')');
  *list = *end ? end + 1 : NULL;
  return strndup(begin, (size_t)(end - begin));
}

char *plot_curve_label(const plot_request *request, const plot_source *source, const char *what,
                       int choice) {
  int named = request->sources > 1 || request->legend;
  if (choice && named) return plot_printf("%s, %s", what, source->label);
  if (choice) return plot_printf("%s", what);
  return named ? plot_printf("%s", source->label) : NULL;
}
