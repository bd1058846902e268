/* SPDX-License-Identifier: MIT
 *
 * Functions whose least value is known, to try a search on: Branin (2 inputs, three minima) and Hartmann (6 inputs).
 */
#pragma once

double una_branin(const double x[2]);            /* on [-5, 10] x [0, 15]; least 0.397887 */
double una_hartmann6(const double x[6]);         /* on [0, 1]^6; least -3.322368         */
