#ifndef RATTLE_WATCH_MICROHTTPD_H
#define RATTLE_WATCH_MICROHTTPD_H
/* libmicrohttpd, loaded when a page is served. */
#include <microhttpd.h>

#include "base/cli.h"

#define WATCH_MICROHTTPD(EACH)                                                                     \
  EACH(MHD_start_daemon)                                                                           \
  EACH(MHD_stop_daemon)                                                                            \
  EACH(MHD_get_daemon_info)                                                                        \
  EACH(MHD_get_connection_info)                                                                    \
  EACH(MHD_lookup_connection_value)                                                                \
  EACH(MHD_create_response_from_buffer)                                                            \
  EACH(MHD_add_response_header)                                                                    \
  EACH(MHD_queue_response)                                                                         \
  EACH(MHD_destroy_response)

#define WATCH_POINTER(name) __typeof__(name) *name;
typedef struct watch_microhttpd {
  WATCH_MICROHTTPD(WATCH_POINTER)
} watch_microhttpd;

/* RATTLE_IO if the library is not there. */
rattle_status watch_load_microhttpd(watch_microhttpd *library, rattle_error *error);
#endif
