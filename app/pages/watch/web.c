/* A page that follows the record, served by libmicrohttpd on 127.0.0.1 alone: four resources, read
 * only.
 *
 * The page is part of the command and refers to nothing else; its policy forbids it to. Requests
 * that name another host are refused, so that no page from elsewhere reads the state through a name
 * that leads here.
 *
 * A new connection always finds room: when there are too many, the one that has gone longest
 * without a request is closed. The time limit alone does not free them, since it begins again with
 * every byte. */
#ifdef RATTLE_MICROHTTPD
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "pages/watch/microhttpd.h"
#include "pages/watch/page.h"
#include "pages/watch/watch.h"

enum { room = 32, closing = 32 }; /* connections that are kept, and those that are not yet gone */

typedef struct {
  struct MHD_Connection *connection; /* NULL: the place is free */
  unsigned long turn;                /* the later a connection began or made its last request,
                                        the larger */
} guest;

struct watch_web {
  watch_microhttpd http;
  struct MHD_Daemon *daemon;
  int port;
  guest guests[room]; /* these two belong to the thread that answers requests */
  unsigned long turn;
  pthread_mutex_t lock; /* of what follows: requests are answered by a thread of their own */
  char *state;
  double asked; /* when the state was last asked for, on the monotonic clock; 0: never */
  int sent;     /* since it was last set */
};

static const double attention = 5; /* seconds after which a page that has not asked is taken for
                                      closed */

static const struct {
  const char *url, *type, *text;
} resources[] = {{"/", "text/html; charset=utf-8", watch_page_html},
                 {"/page.js", "text/javascript; charset=utf-8", watch_page_js},
                 {"/page.css", "text/css; charset=utf-8", watch_page_css}};

static enum MHD_Result answer(const watch_microhttpd *http, struct MHD_Connection *connection,
                              unsigned status, const char *type, const char *text) {
  static const char *const headers[][2] = {
      {"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "
                                  "connect-src 'self'; base-uri 'none'; form-action 'none'; "
                                  "frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cache-Control", "no-store"}};
  struct MHD_Response *response = http->MHD_create_response_from_buffer(
      strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  http->MHD_add_response_header(response, "Content-Type", type);
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    http->MHD_add_response_header(response, headers[i][0], headers[i][1]);
  enum MHD_Result result = http->MHD_queue_response(connection, status, response);
  http->MHD_destroy_response(response);
  return result;
}

/* Gives a connection that begins a place, if need be that of the connection which has been idle
 * longest. */
static void meet(void *self, struct MHD_Connection *connection, void **context,
                 enum MHD_ConnectionNotificationCode what) {
  watch_web *web = self;
  if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
    guest *own = *context;
    if (own->connection == connection) own->connection = NULL;
    return;
  }
  guest *place = web->guests;
  for (guest *g = web->guests; g < web->guests + room && place->connection; g++)
    if (!g->connection || g->turn < place->turn) place = g;
  if (place->connection)
    shutdown(
        web->http.MHD_get_connection_info(place->connection, MHD_CONNECTION_INFO_CONNECTION_FD)
            ->connect_fd,
        SHUT_RDWR);
  *place = (guest){connection, ++web->turn};
  *context = place;
}

static void note_request(watch_web *web, struct MHD_Connection *connection) {
  guest *own = web->http.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
                   ->socket_context;
  if (own->connection == connection) own->turn = ++web->turn;
}

static int asks_us(const watch_web *web, struct MHD_Connection *connection) {
  const char *host = web->http.MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
  char own[2][32];
  snprintf(own[0], sizeof own[0], "127.0.0.1:%d", web->port);
  snprintf(own[1], sizeof own[1], "localhost:%d", web->port);
  return host && (!strcmp(host, own[0]) || !strcmp(host, own[1]));
}

static enum MHD_Result tell_state(watch_web *web, struct MHD_Connection *connection) {
  pthread_mutex_lock(&web->lock);
  web->asked = watch_clock();
  web->sent = 1;
  enum MHD_Result result =
      answer(&web->http, connection, MHD_HTTP_OK, "application/json; charset=utf-8",
             web->state ? web->state : "{}");
  pthread_mutex_unlock(&web->lock);
  return result;
}

static enum MHD_Result handle(void *self, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **request) {
  watch_web *web = self;
  (void)version, (void)upload, (void)upload_size, (void)request;
  note_request(web, connection);
  if (!asks_us(web, connection))
    return answer(&web->http, connection, MHD_HTTP_FORBIDDEN, "text/plain", "unknown host\n");
  if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
    return answer(&web->http, connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
                  "only GET is supported\n");
  if (!strcmp(url, "/state.json")) return tell_state(web, connection);
  for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
    if (!strcmp(url, resources[i].url))
      return answer(&web->http, connection, MHD_HTTP_OK, resources[i].type, resources[i].text);
  return answer(&web->http, connection, MHD_HTTP_NOT_FOUND, "text/plain", "not found\n");
}

rattle_status watch_web_begin(watch_web **web, int port, rattle_error *error) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  watch_web *w = *web = calloc(1, sizeof *w);
  if (!w || pthread_mutex_init(&w->lock, NULL)) return text_no_memory(error);
  rattle_status status = watch_load_microhttpd(&w->http, error);
  if (status) return status;
  errno = 0;
  w->daemon = w->http.MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)port, NULL, NULL, handle, w, MHD_OPTION_SOCK_ADDR,
      (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, (unsigned)(room + closing),
      MHD_OPTION_CONNECTION_TIMEOUT, 10u, MHD_OPTION_NOTIFY_CONNECTION, meet, w,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384, MHD_OPTION_END);
  if (!w->daemon)
    return text_fail(error, RATTLE_IO,
                     "port %d of 127.0.0.1 is not available: %s; pass another --port, or omit it",
                     port, errno ? strerror(errno) : "it is taken");
  const union MHD_DaemonInfo *info =
      w->http.MHD_get_daemon_info(w->daemon, MHD_DAEMON_INFO_BIND_PORT);
  w->port = info ? info->port : port;
  return RATTLE_OK;
}

int watch_web_port(const watch_web *web) {
  return web->port;
}

void watch_web_tell(watch_web *web, char *state) {
  pthread_mutex_lock(&web->lock);
  free(web->state);
  web->state = state;
  web->sent = 0;
  pthread_mutex_unlock(&web->lock);
}

int watch_web_told(watch_web *web) {
  pthread_mutex_lock(&web->lock);
  int sent = web->sent || watch_clock() - web->asked > attention;
  pthread_mutex_unlock(&web->lock);
  return sent;
}

void watch_web_end(watch_web **web) {
  watch_web *w = *web;
  if (!w) return;
  if (w->daemon) w->http.MHD_stop_daemon(w->daemon);
  pthread_mutex_destroy(&w->lock);
  free(w->state);
  free(w);
  *web = NULL;
}
#else
/* Built without libmicrohttpd: --web says so. */
#include "pages/watch/watch.h"

struct watch_web {
  int none;
};

rattle_status watch_web_begin(watch_web **web, int port, rattle_error *error) {
  (void)port;
  *web = NULL;
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "--web: this rattle was built without libmicrohttpd; install it (Debian, "
                   "Ubuntu: apt-get install libmicrohttpd-dev) "
                   "and build rattle again, or omit --web");
}
int watch_web_port(const watch_web *web) {
  return web->none;
}
void watch_web_tell(watch_web *web, char *state) {
  (void)web, (void)state;
}
int watch_web_told(watch_web *web) {
  return web != NULL;
}
void watch_web_end(watch_web **web) {
  *web = NULL;
}
#endif
