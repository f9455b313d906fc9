#ifndef RATTLE_WATCH_PAGE_H
#define RATTLE_WATCH_PAGE_H
/* The page of `rattle watch --web`: page.html, page.js and page.css, embedded by
 * cmake/embed.cmake. */
extern const char watch_page_html[], watch_page_js[], watch_page_css[];
#endif
