#!/bin/bash
# SPDX-License-Identifier: MIT
# A server of PostgreSQL for tests, all of it in one folder, on loopback only.
#   tools/postgres.sh start FOLDER    makes it if it is not there, starts it, and prints its address
#   tools/postgres.sh stop FOLDER     stops it in good order; start goes on with what it holds
#   tools/postgres.sh kill FOLDER     ends it as a crash would
# It does not wait for the disk: what it holds survives a crash of the server, not one of the machine.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

bad() {
    echo "$*" >&2
    exit 1
}

find_programs() {    # the newest
    find /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/local/pgsql/bin -name initdb 2>/dev/null | sort -V | tail -n 1
}

as_server() {        # initdb and postgres refuse to be root
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    elif id postgres >/dev/null 2>&1; then
        runuser -u postgres -- "$@"
    else
        runuser -u nobody -- "$@"
    fi
}

make() {
    mkdir -p "$folder"
    chmod 755 "$folder"
    [ "$(id -u)" -ne 0 ] || chown "$(id -u postgres 2>/dev/null || id -u nobody)" "$folder"
    as_server "$programs/initdb" -D "$folder/data" -U una -A trust -E UTF8 --no-locale --no-sync \
        >"$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; bad "initdb failed"; }
}

launch() {           # launch PORT
    local place="-p $1 -c listen_addresses=127.0.0.1 -c unix_socket_directories='$folder'"
    as_server "$programs/pg_ctl" -D "$folder/data" -l "$folder/data/server.log" -w -t 60 \
        -o "$place -F -c max_connections=60 -c shared_buffers=16MB" start </dev/null >/dev/null 2>&1
}

start() {
    [ -f "$folder/data/PG_VERSION" ] || make
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        port=$(cat "$folder/port" 2>/dev/null || echo $((20000 + RANDOM % 12000)))
        if "$programs/pg_isready" -q -h "$folder" -p "$port" || launch "$port"; then
            echo "$port" >"$folder/port"
            echo "postgresql://una@127.0.0.1:$port/postgres"
            return
        fi
        sleep 0.3    # the port is another's; or those of the server that was killed are still about to end
    done
    tail -n 20 "$folder/data/server.log" >&2
    bad "no server could be started in $folder"
}

ended() {            # ended PROCESS: it is gone, or nobody has taken note of its end
    ! grep -q '^State:[[:space:]]*[^ZX]' "/proc/$1/status" 2>/dev/null
}

crash() {            # all of its processes at once
    local main parts part
    main=$(head -n 1 "$folder/data/postmaster.pid")
    parts=$(grep -ls "^PPid:[[:space:]]*$main\$" /proc/[0-9]*/status | cut -d/ -f3)
    for part in $main $parts; do kill -9 "$part" 2>/dev/null || true; done
    for part in $main $parts; do
        until ended "$part"; do sleep 0.05; done
    done
    rm -f "$folder/data/postmaster.pid" "$folder"/.s.PGSQL.*     # a process without a parent to bury it seems to live
}

[ $# -eq 2 ] || bad "usage: tools/postgres.sh start|stop|kill FOLDER"
mkdir -p "$2"
folder=$(cd "$2" && pwd)
programs=$(find_programs)
if [ -z "$programs" ]; then
    "$here/deps.sh" postgresql >&2
    programs=$(find_programs)
fi
[ -n "$programs" ] || bad "the programs of PostgreSQL (initdb, pg_ctl) are not there; install the package postgresql"
programs=$(dirname "$programs")
cd /

case $1 in
start) start ;;
stop)  as_server "$programs/pg_ctl" -D "$folder/data" -m fast -w stop >/dev/null ;;
kill)  crash ;;
*)     bad "usage: tools/postgres.sh start|stop|kill FOLDER" ;;
esac
