/* SPDX-License-Identifier: MIT */
#include "bench/knowledge.h"
una_status una_knowledge_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run)
{
    return una_page_means(page, findings, asked->experiment, run);
}
