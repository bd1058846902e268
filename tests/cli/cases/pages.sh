# SPDX-License-Identifier: MIT
# tools/check_links.py: links of pages that lead nowhere are found, and names between backticks that no source has.
# shellcheck shell=bash
tool=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
mkdir -p tree/docs/use tree/src
cat >tree/README.md <<'END'
# A tree
[index](docs/README.md), [a heading](docs/use/PAGE.md#two-words-and-a-mark), [elsewhere](https://example.org/none)
```
[no link](nowhere.md)
```
END
printf '# Index\n[page](use/PAGE.md)\n' >tree/docs/README.md
printf '# Page\n## Two words, and a mark\n![picture](p.svg) [up](../../src)\n## Twice\n## Twice\n[second](#twice-1)\n' >tree/docs/use/PAGE.md
touch tree/docs/use/p.svg
echo '/* docs/use/PAGE.md */' >tree/src/a.c
check "all alive" 0 "$tool/tools/check_links.py" tree
out "7 links, 0 names, 0 dead"

echo '[gone](GONE.md) [anchor](PAGE.md#three) [mine](#four)' >>tree/docs/use/PAGE.md
echo '/* docs/GONE.md */' >>tree/src/a.c
touch tree/docs/lost.svg
echo '# Alone' >tree/docs/ALONE.md
check "dead ones" 1 "$tool/tools/check_links.py" tree
out "docs/use/PAGE.md: 'GONE.md' is not there"
out "docs/use/PAGE.md: 'PAGE.md#three': docs/use/PAGE.md has no heading of this name"
out "docs/use/PAGE.md: '#four'"
out "src/a.c: names docs/GONE.md, which is not there"
out "docs/lost.svg: stands in no page"
out "docs/ALONE.md: no link leads here from docs/README.md"
out "11 links, 0 names, 6 dead"

mkdir -p names/docs names/src/base names/include
echo 'int una_there(void); int here;' >names/src/base/a.c
touch names/include/una.h
cat >names/docs/README.md <<'END'
[one link](README.md), `una_there()`, `here` in `base/a.c`, `src/base/a.c`, `include/una.h`, `una_*`, `column_2`,
`DIR/NAME.c`, `build/made.c`

It may be made here, `una_made` in `src/base/new.c`:

```c
int una_made;
```
END
check "names that are there" 0 "$tool/tools/check_links.py" names
out "1 links, 11 names, 0 dead"
echo '`una_gone(data)`, `other` in `base/a.c`, `base/gone.c`' >>names/docs/README.md
check "names that are not" 1 "$tool/tools/check_links.py" names
out "docs/README.md: names una_gone, which no source has" \
    "docs/README.md: names base/gone.c, which is not there" \
    "docs/README.md: names other in base/a.c, which has no such name" "1 links, 15 names, 3 dead"

# tools/check_tour.sh: files that TOUR leaves out, and files that are not there.
mkdir -p house/docs/develop house/src/base house/cli
echo '/* */' | tee house/src/base/a.c house/src/base/a.h house/src/base/b.h house/cli/main.c >house/docs/GLOSSARY.md
printf '### `src/base/`\n| `base/a.c`, `base/b.h` | |\n### `cli/`\n| `cli/main.c` | |\n' >house/docs/develop/TOUR.md
check "all in the tour" 0 "$tool/tools/check_tour.sh" house
out "names all 4 files"
touch house/src/base/new.c
mkdir house/src/attic
printf '`base/gone.c` and `src/base/a.h`\n### `src/lost/`\n' >>house/docs/develop/TOUR.md
echo '<text>base/drawn.c</text>' >house/docs/develop/row.svg
check "not in the tour" 1 "$tool/tools/check_tour.sh" house
out "does not name src/base/new.c" "names base/gone.c, which is not there" "no section '### \`src/attic/\`'" \
    "a section of src/lost, which is not there" "names base/drawn.c, which is not there"
