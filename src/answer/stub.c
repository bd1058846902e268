/* SPDX-License-Identifier: MIT */
#include "model/kind.h"
una_status una_judge_soon(una_verdict **verdict, const una_model *model, const una_dataset *data, una_run *run)
{ (void)model; (void)data; *verdict = NULL; UNA_FAIL(run, UNA_E_USAGE, "not yet"); }
void una_verdict_free(una_verdict *verdict) { (void)verdict; }
