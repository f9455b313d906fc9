/* Which line of the model an error, or a constraint, belongs to: shipped modules are none of its
 * lines. */
#include <string.h>

#include "files/lua/loader.h"

int rattle__lua_place(lua_State *L, int level, lua_Debug *at) {
  for (; lua_getstack(L, level, at); level++)
    if (lua_getinfo(L, "Sl", at) && at->source[0] == '@') return 1;
  return 0;
}

/* "[module]:12: text" becomes "file:3: text". */
int rattle__lua_blame(lua_State *L) {
  lua_Debug at;
  const char *text = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : NULL,
             *end = text && text[0] == '[' ? strstr(text, "]:") : NULL;
  if (!end) return 1;
  end += 2 + strspn(end + 2, "0123456789");
  if (strncmp(end, ": ", 2) != 0 || !rattle__lua_place(L, 1, &at)) return 1;
  lua_pushfstring(L, "%s:%d%s", at.source + 1, at.currentline, end);
  return 1;
}
