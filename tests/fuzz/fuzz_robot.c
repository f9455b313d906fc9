/* Robots in URDF and MJCF: whatever the file says, there is a model in Lua, which runs or has a sentence, or
 * there is a sentence. */
#include "fuzz.h"

#include "files/robots/robot.h"
#include "rattle/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size);
  rattle_error error = {0};
  const rattle_status status = rattle__robot_model(&text, "robot.urdf", 0, NULL, &error);
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
