/* Pictures of a page by Chromium, which prints them as text, and films of them by ffmpeg. All that
 * they write goes into a folder of its own, and the film under a temporary name. */
#define _GNU_SOURCE /* nftw */
#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/animate.h"
#include "commands/template.h"

static const animate_format formats[] = {
    {".png", {NULL}},
    {".webm", {"-f", "webm", "-c:v", "libvpx-vp9", "-crf", "30", "-pix_fmt", "yuv420p", NULL}},
    {".mp4", {"-f", "mp4", "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", NULL}},
    {".gif",
     {"-f", "gif", "-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse", NULL}}};

const animate_format *animate_format_of(const char *path) {
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
    if (!strcmp(dot, formats[i].ending)) return &formats[i];
  return NULL;
}

/* NULL: none is there. */
static const char *find_browser(void) {
  static const char *const names[] = {"chromium", "chromium-browser", "google-chrome",
                                      "google-chrome-stable"};
  const char *given = getenv("RATTLE_CHROMIUM");
  if (given && *given) return cli_has_program(given) ? given : NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (cli_has_program(names[i])) return names[i];
  return NULL;
}

rattle_status animate_need_programs(const animate_format *format, rattle_error *error) {
  if (!find_browser())
    return text_fail(error, RATTLE_UNSUITABLE,
                     "pictures are drawn by Chromium, which is not there (Debian, Ubuntu: apt-get "
                     "install chromium; RATTLE_CHROMIUM names one elsewhere); -o MOTION.html needs "
                     "none");
  if (format->encoder[0] && !cli_has_program("ffmpeg"))
    return text_fail(error, RATTLE_UNSUITABLE,
                     "films are encoded by ffmpeg, which is not there (Debian, Ubuntu: apt-get "
                     "install ffmpeg); -o MOTION.html and -o PICTURE.png need none");
  return RATTLE_OK;
}

/* A file in the folder. */
static FILE *open_in(const char *folder, const char *name, const char *mode) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return fopen(path, mode);
}

static int drop_one(const char *path, const struct stat *about, int kind, struct FTW *where) {
  (void)about, (void)kind, (void)where;
  return remove(path), 0;
}

/* ---- the browser ---- */

rattle_status animate_put_page(FILE *out, const report_sources *sources, rattle_error *error) {
  report_outcome outcome;
  rattle_status status =
      report_write(out, cli_animation, cli_animation_size, sources, &outcome, error);
  if (!status && outcome.runs < sources->paths)
    status = text_fail(error, RATTLE_UNSUITABLE,
                       "a study has no motion: give records alone (rattle report shows studies)");
  return status;
}

static rattle_status write_page(const char *folder, const report_sources *sources,
                                rattle_error *error) {
  FILE *page = open_in(folder, "page.html", "w");
  if (!page)
    return text_fail(error, RATTLE_IO, "%s cannot be written: %s", folder, strerror(errno));
  rattle_status status = animate_put_page(page, sources, error);
  const int bad = ferror(page) | fclose(page);
  if (!status && bad)
    status = text_fail(error, RATTLE_IO,
                       "%s could not be written in full; TMPDIR names another folder", folder);
  return status;
}

/* "file:///tmp/a%20b/page.html" */
static void write_address(char *address, const char *folder) {
  address += sprintf(address, "file://");
  for (const char *at = folder; *at; at++)
    address +=
        sprintf(address, isalnum((unsigned char)*at) || strchr("/._-", *at) ? "%c" : "%%%02X",
                (unsigned char)*at);
  strcpy(address, "/page.html");
}

/* The page prints its pictures. The superuser's Chromium has no sandbox. */
static rattle_status browse(const char *folder, const animate_film *film, rattle_error *error) {
  char profile[4200], size[40], address[3 * 4200];
  snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", folder);
  write_address(address, folder);
  snprintf(size, sizeof size, "--window-size=%d,%d", film->sources.animation->width,
           film->sources.animation->height);
  const char *words[] = {find_browser(),
                         "--headless",
                         "--dump-dom",
                         profile,
                         size,
                         "--hide-scrollbars",
                         "--force-device-scale-factor=1",
                         "--disable-gpu",
                         "--enable-unsafe-swiftshader",
                         "--disable-quic",
                         "--no-first-run",
                         "--disable-background-networking",
                         "--disable-component-update",
                         "--disable-sync",
                         "--disable-extensions",
                         address,
                         geteuid() ? NULL : "--no-sandbox",
                         NULL};
  FILE *in = fopen("/dev/null", "r"), *out = open_in(folder, "drawn.html", "w"),
       *errors = open_in(folder, "errors", "w+");
  rattle_status status =
      in && out && errors
          ? cli_run_program(words, in, out, errors, film->patience, error)
          : text_fail(error, RATTLE_IO, "%s cannot be written: %s", folder, strerror(errno));
  if (in) fclose(in);
  if (out) fclose(out);
  if (errors) fclose(errors);
  return status;
}

/* ---- its pictures ---- */

static int value_of(char c) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

/* Base64 to its bytes, from `at` to the end of the line; returns that. */
static const char *put_bytes(FILE *out, const char *at) {
  unsigned bits = 0;
  for (int count = 0, value; (value = value_of(*at)) >= 0; at++) {
    bits = bits << 6 | (unsigned)value, count += 6;
    if (count >= 8) count -= 8, putc((int)(bits >> count & 0xFF), out);
  }
  while (*at == '=') at++;
  return at;
}

/* The text of the element of that id; NULL: it is not there, or not to its end. */
static const char *element(const char *page, const char *id) {
  char begin[40];
  snprintf(begin, sizeof begin, "<pre id=\"%s\">", id);
  const char *at = strstr(page, begin);
  return at && strstr(at, "</pre>") ? at + strlen(begin) : NULL;
}

/* All pictures, one after the other. */
static rattle_status put_pictures(FILE *out, const char *page, int *count, rattle_error *error) {
  const char *at = element(page, "pictures"), *why = element(page, "failed");
  if (!at && why)
    return text_fail(error, RATTLE_UNSUITABLE, "the page draws nothing: %.*s",
                     (int)strcspn(why, "<"), why);
  if (!at)
    return text_fail(error, RATTLE_IO,
                     "the browser did not print its pictures in full: ask for fewer or smaller "
                     "ones, or have more room in TMPDIR");
  for (*count = 0; value_of(*at) >= 0; ++*count) {
    at = put_bytes(out, at);
    at += *at == '\n';
  }
  return fflush(out) ? text_fail(error, RATTLE_IO, "pictures could not be written in full: %s",
                                 strerror(errno))
                     : RATTLE_OK;
}

/* ---- the film ---- */

static rattle_status encode(const char *folder, const cli_output *output, const animate_film *film,
                            rattle_error *error) {
  char target[4200], rate[20];
  const char *words[32] = {"ffmpeg", "-hide_banner", "-loglevel",  "error", "-y",
                           "-f",     "image2pipe",   "-framerate", rate,    "-c:v",
                           "png",    "-i",           "pipe:0"};
  int count = 13;
  snprintf(rate, sizeof rate, "%d", film->sources.animation->fps);
  snprintf(target, sizeof target, "file:%s", output->temporary ? output->temporary : output->path);
  for (const char *const *word = film->format->encoder; *word;) words[count++] = *word++;
  words[count] = target;
  FILE *in = open_in(folder, "pictures.png", "r"), *out = fopen("/dev/null", "w"),
       *errors = open_in(folder, "errors", "w+");
  rattle_status status =
      in && out && errors
          ? cli_run_program(words, in, out, errors, film->patience, error)
          : text_fail(error, RATTLE_IO, "%s cannot be read: %s", folder, strerror(errno));
  /* on a full disk it ends well, and says so alone */
  char complaint[256];
  if (!status && cli_read_complaint(errors, complaint, sizeof complaint))
    status = text_fail(error, RATTLE_IO, "ffmpeg failed: %s", complaint);
  if (in) fclose(in);
  if (out) fclose(out);
  if (errors) fclose(errors);
  return status;
}

static rattle_status draw(const char *folder, const animate_film *film, FILE *picture, int *count,
                          rattle_error *error) {
  char path[4200], *page = NULL;
  snprintf(path, sizeof path, "%s/drawn.html", folder);
  rattle_status status = write_page(folder, &film->sources, error);
  if (!status) status = browse(folder, film, error);
  if (!status) status = cli_read_text(path, &page, error);
  if (!status) status = put_pictures(picture, page, count, error);
  free(page);
  return status;
}

static rattle_status make(const char *folder, const cli_output *output, const animate_film *film,
                          int *count, rattle_error *error) {
  if (!film->format->encoder[0]) return draw(folder, film, output->file, count, error);
  FILE *pictures = open_in(folder, "pictures.png", "w");
  if (!pictures)
    return text_fail(error, RATTLE_IO, "%s cannot be written: %s", folder, strerror(errno));
  rattle_status status = draw(folder, film, pictures, count, error);
  const int bad = fclose(pictures);
  if (!status && bad)
    status =
        text_fail(error, RATTLE_IO, "pictures could not be written in full: %s", strerror(errno));
  return status ? status : encode(folder, output, film, error);
}

rattle_status animate_write_film(const char *path, int force, const animate_film *film, int *count,
                                 rattle_error *error) {
  const char *given = getenv("TMPDIR"), *where = given && *given ? given : "/tmp";
  char folder[4096], *within = realpath(where, NULL);
  cli_output output;
  const int length = snprintf(folder, sizeof folder, "%s/rattle-XXXXXX", within ? within : where);
  const int made = within && length > 0 && length < (int)sizeof folder && mkdtemp(folder);
  free(within);
  if (!made)
    return text_fail(error, RATTLE_IO, "no folder for pictures: %s cannot be made", folder);
  rattle_status status = cli_begin_output(&output, path, force, error);
  if (!status) status = cli_end_output(&output, make(folder, &output, film, count, error), error);
  nftw(folder, drop_one, 16, FTW_DEPTH | FTW_PHYS);
  return status;
}
