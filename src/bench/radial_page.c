/* SPDX-License-Identifier: MIT
 *
 * The page of the Radial Uncertainty Benchmark.
 */
#include "bench/radial.h"

una_status una_radial_page(una_page *page, const una_findings *f, const una_asked *asked, una_run *run)
{
    return una_page_means(page, f, asked->experiment, run);
}
