/* SPDX-License-Identifier: MIT
 *
 * Kinds whose features have not seen the target (gp, linear, tuna): one posterior of all rows, which predicts each fold
 * without the fold's rows.
 */
#ifndef UNA_FIXED_FEATURES_H
#define UNA_FIXED_FEATURES_H

#include "committee/members.h"

/* All rows go into the posterior; the noise varies where out-of-fold predictions show it. A given noise_std applies at
 * the end: the shape is learnt as if it were not given. For a kind with `search`, lengths are chosen under the shape
 * too, where that makes out-of-fold rows likelier. */
una_status una_fixed_features_fit(una_fitting *f);

#endif
