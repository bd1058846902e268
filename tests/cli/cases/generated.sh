# SPDX-License-Identifier: MIT
# Man page and completions come from the flag tables.
check "man page" 0 una --dump-man
cp stdout.txt una.1
for text in ".TH UNA 1" ".SH SYNOPSIS" "una fit DATA" '\-\-target COLUMN' '\-\-draws K' '\-\-verify\-cache' "EXIT STATUS" "NO_COLOR"; do has una.1 "$text"; done
if command -v man >/dev/null 2>&1; then
    check "man reads it without a warning" 0 man --warnings -l una.1
    no_err
fi
for shell in bash zsh fish; do
    check "$shell completion" 0 una --dump-completion $shell
    out "target" "kernels" "generic" "luna"
    cp stdout.txt completion.$shell
done
check "unknown shell" 1 una --dump-completion csh
err "bash, zsh, fish"
check "bash reads it" 0 bash -n completion.bash
complete_words() {
    bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _una; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
check "verbs" 0 complete_words una f
out "fit"
check "flags" 0 complete_words una fit d.csv --ta
out "--target"
check "flags for all verbs" 0 complete_words una fit d.csv --ve
out "--verify-cache"
check "values" 0 complete_words una fit d.csv --missing d
out "drop"
check "a family among the verbs" 0 complete_words una stu
out "study"
check "verbs of a family" 0 complete_words una study a
out "ask"
check "flags of one of them" 0 complete_words una study ask f.study --co
out "--count"
check "values of a flag of one of them" 0 complete_words una study new f.study --goal ma
out "maximize"
for text in "una study ask WHERE" '\-\-timeout SECONDS' "COMMAND ..."; do has una.1 "$text"; done
check "models" 0 complete_words una models lu
out "luna"
for shell in zsh fish; do
    if command -v $shell >/dev/null 2>&1; then check "$shell reads it" 0 $shell -n completion.$shell; fi
done
