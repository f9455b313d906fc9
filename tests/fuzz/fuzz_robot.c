/* Robots in URDF, MJCF and SDF: whatever the file says, there is a model in Lua, which runs or has a
 * sentence, or there is a sentence. What follows a zero byte are the bytes of every file that it
 * names. */
#include "fuzz.h"

#include "files/robots/robot.h"
#include "rattle/model.h"

static const uint8_t *other;
static size_t other_size;

static rattle_status read_other(char **text, size_t *length, const char *path,
                                rattle_error *error) {
  (void)path;
  (void)error;
  *text = other ? fuzz_text(other, other_size) : NULL;
  if (length) *length = other_size;
  return RATTLE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *zero = memchr(data, 0, size);
  other = zero ? zero + 1 : NULL;
  other_size = zero ? size - (size_t)(zero + 1 - data) : 0;
  char *text = fuzz_text(data, size);
  rattle_error error = {0};
  const rattle_status status = rattle__robot_model(&text, "robot.urdf", 0, read_other, &error);
  if (status && !error.message[0]) abort();
  if (!status) {
    rattle_model *model = NULL;
    const rattle_model_options options = {.max_instructions = 20000000, .max_memory = 64 << 20};
    const rattle_status read = rattle_model_parse(&model, text, "robot", &options, &error);
    if (read && !error.message[0]) abort();
    /* what the reader writes is Lua */
    if (read &&
        (strstr(error.message, "unexpected symbol") || strstr(error.message, "expected near")))
      abort();
    rattle_model_destroy(&model);
  }
  free(text);
  return 0;
}
