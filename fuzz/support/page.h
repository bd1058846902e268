/* SPDX-License-Identifier: MIT
 *
 * What every page and picture must keep to, whatever names and numbers stand in it.
 */
#ifndef UNA_FUZZ_PAGE_H
#define UNA_FUZZ_PAGE_H

/* An HTML page or an SVG: valid UTF-8, only elements that una writes, properly nested, attributes quoted and none of
 * them running anything. The file goes. */
void fuzz_page(const char *path, const char *what);

#endif
