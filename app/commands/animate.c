/* rattle animate: the motion of records as a page, a picture or a film. */
#include "commands/animate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const cli_option options[] = {
    {"output", 'o', "MOTION.html",
     "a page that plays, or by the ending a film (.webm, .mp4, .gif) or a picture (.png)"},
    {"at", 0, "T", "the time at first (the beginning)"},
    {"rate", 0, "R", "times of the motion in a second (a rate that can be followed)"},
    {"seconds", 0, "S", "length of a film, if the motion is longer (10)"},
    {"fps", 0, "N", "pictures in a second of a film (30)"},
    {"size", 0, "WxH", "size of pictures in pixels (960x540)"},
    {"patience", 0, "SECONDS",
     "end a browser or an encoder that takes longer (60, and 1 for each picture)"},
    {"force", 0, NULL, "replace an existing file"},
    {"quiet", 0, NULL, "print nothing"},
    {NULL, 0, NULL, NULL}};

static rattle_status positive(const cli_args *args, const char *option, double *value,
                              rattle_error *error) {
  const rattle_status status = cli_real(args, option, value, error);
  if (status || *value > 0 || !cli_text(args, option)) return status;
  return text_fail(error, RATTLE_BAD_ARGUMENT, "--%s %s: give a positive number", option,
                   cli_text(args, option));
}

/* "960x540"; films have even numbers of pixels. */
static rattle_status read_size(const cli_args *args, report_animation *how, rattle_error *error) {
  const char *text = cli_text(args, "size");
  char after = 0;
  how->width = 960, how->height = 540;
  if (!text) return RATTLE_OK;
  if (sscanf(text, "%5dx%5d%c", &how->width, &how->height, &after) == 2 && how->width >= 100 &&
      how->height >= 100 && how->width <= 8192 && how->height <= 8192 && how->width % 2 == 0 &&
      how->height % 2 == 0)
    return RATTLE_OK;
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "--size %s: give two even numbers from 100 to 8192, as in 960x540", text);
}

static rattle_status read_options(const cli_args *args, animate_film *film, report_animation *how,
                                  rattle_error *error) {
  long long fps = 30;
  *how = (report_animation){.at = (double)NAN, .rate = (double)NAN, .seconds = 10};
  rattle_status status = read_size(args, how, error);
  if (!status) status = cli_real(args, "at", &how->at, error);
  if (!status) status = positive(args, "rate", &how->rate, error);
  if (!status) status = positive(args, "seconds", &how->seconds, error);
  if (!status) status = cli_integer(args, "fps", &fps, error);
  if (!status && (fps < 1 || fps > 240))
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--fps %lld: give 1 to 240", fps);
  if (!status && how->seconds * (double)fps > 100000)
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "a film of %g s has more than 100000 pictures: give less --seconds",
                       how->seconds);
  if (film->format && !film->format->encoder[0]) how->seconds = 0;
  if (film->format) how->fps = (int)fps;
  film->patience = 60 + how->seconds * (double)fps;
  if (!status) status = positive(args, "patience", &film->patience, error);
  return status;
}

/* No option is without use; --seconds also chooses what a page plays. */
static rattle_status check_use(const cli_args *args, const animate_format *format,
                               rattle_error *error) {
  static const struct {
    const char *option;
    int page, picture;
  } use[] = {{"fps", 0, 0}, {"seconds", 1, 0}, {"size", 0, 1}, {"patience", 0, 1}};
  for (int i = 0; i < 4 && !(format && format->encoder[0]); i++)
    if (cli_text(args, use[i].option) && !(format ? use[i].picture : use[i].page))
      return text_fail(
          error, RATTLE_BAD_ARGUMENT,
          "--%s is for films%s: leave it out, or end the name of -o with .webm, .mp4%s",
          use[i].option, use[i].picture ? " and pictures" : "",
          use[i].picture ? ", .gif or .png" : " or .gif");
  return RATTLE_OK;
}

/* A page, or a picture or a film by its ending. */
static rattle_status choose_format(const char *path, animate_film *film, rattle_error *error) {
  if (!path)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "no output: give -o MOTION.html, .webm, .mp4, .gif or .png");
  const char *dot = strrchr(path, '.');
  film->format = animate_format_of(path);
  if (film->format) return animate_need_programs(film->format, error);
  if (dot && !strcmp(dot, ".html")) return RATTLE_OK;
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "-o %s: end the name with .html, .webm, .mp4, .gif or .png", path);
}

static rattle_status write_page(const char *path, int force, const report_sources *sources,
                                rattle_error *error) {
  cli_output output;
  rattle_status status = cli_begin_output(&output, path, force, error);
  if (!status) status = animate_put_page(output.file, sources, error);
  return cli_end_output(&output, status, error);
}

static void say(const char *path, int pictures) {
  struct stat there = {0};
  if (stat(path, &there)) return;
  cli_print(stdout, "%s: %lld kB", path, ((long long)there.st_size + 999) / 1000);
  if (pictures > 1) cli_print(stdout, ", %d pictures", pictures);
  puts(pictures ? "" : "; open it in a browser, or put it into a page by <iframe src=...>");
}

static int animate(const cli_args *args) {
  rattle_error error = {0};
  report_animation how;
  animate_film film = {
      .sources = {.path = (const char *const *)args->operand, .paths = args->operands}};
  const char *path = cli_text(args, "output"), *inputs[CLI_MOST_OPERANDS + 1] = {NULL};
  const int force = cli_flag(args, "force");
  int pictures = 0;
  rattle_status status = choose_format(path, &film, &error);
  if (!status) status = read_options(args, &film, &how, &error);
  if (!status) status = check_use(args, film.format, &error);
  film.sources.animation = &how;
  for (int i = 0; i < args->operands && !status; i++) {
    inputs[i] = args->operand[i];
    status = cli_check_input(inputs[i], &error);
  }
  if (!status) status = cli_check_output(path, force, inputs, &error);
  if (!status && film.format)
    status = animate_write_film(path, force, &film, &pictures, &error);
  else if (!status)
    status = write_page(path, force, &film.sources, &error);
  if (status) return cli_end_badly(args, &error, 0);
  if (!cli_flag(args, "quiet")) say(path, pictures);
  return CLI_DONE;
}

const cli_command cli_animate = {
    "animate",
    "OUT.h5...",
    "Shows the motion of records, side by side: as a page that plays, a film or a picture.",
    1,
    4,
    "A page (.html) opens offline in any browser, plays by itself, and can stand in a frame of "
    "another page.\n"
    "A film or a picture is drawn by Chromium without a window, a film encoded by ffmpeg; neither "
    "sends anything.\n",
    options,
    animate};
