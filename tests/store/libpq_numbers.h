/* SPDX-License-Identifier: MIT
 *
 * The numbers of libpq that una knows: included after its own header and after ours, they are the same.
 */
_Static_assert(CONNECTION_OK == 0 && CONNECTION_BAD == 1, "states of connections");
_Static_assert(PGRES_POLLING_FAILED == 0 && PGRES_POLLING_READING == 1 && PGRES_POLLING_WRITING == 2 &&
               PGRES_POLLING_OK == 3, "steps of connecting");
_Static_assert(PGRES_EMPTY_QUERY == 0 && PGRES_COMMAND_OK == 1 && PGRES_TUPLES_OK == 2, "states of results");
_Static_assert(PQTRANS_IDLE == 0, "states of transactions");
_Static_assert(PQPING_REJECT == 1, "answers of servers");
_Static_assert(PG_DIAG_SQLSTATE == 'C' && PG_DIAG_MESSAGE_PRIMARY == 'M', "fields of errors");
