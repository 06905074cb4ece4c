# Part of CredKit. SPDX-License-Identifier: Apache-2.0
# Functions that run tests which are already built. Must be sourced in the root of the repository, after checks.sh.
# shellcheck shell=bash

# run_tests PATTERN [EXCEPT [PACKAGE]]: runs the test classes whose names (Target.Class) match an extended regular expression,
# except those that match EXCEPT, in one process; or tests (Target.Class/test), if PATTERN has a slash. It does not use
# `swift test`, which would lock the folder for one run at a time.
run_tests() {
    local bundle=$test_build/release/${3:-CredKit}PackageTests.xctest part='\1' names
    [[ $1 != */* ]] || part='&'
    names=$("$bundle" --list-tests | sed -n "s|^\([A-Za-z0-9_]*\.[A-Za-z0-9_]*\)/.*|$part|p" | sort -u |
        grep -E "$1" | grep -vE "${2:-^$}" | paste -sd ,) || true
    [ -n "$names" ] || { echo "error: no tests match $1 in $bundle" >&2; return 1; }
    "$bundle" "$names"
}

# run_kernel_tests PATTERN [EXCEPT]: the same with the kernels of each instruction set except the fastest, which all
# other runs use. A processor without an instruction set uses other kernels.
run_kernel_tests() {
    local kernels
    for kernels in portable ssse3 avx2; do
        echo "-- kernels $kernels"
        CREDKIT_KERNELS=$kernels run_tests "$@"
    done
}

# run_deep_tests: runs the tests that have a longer form, in that form.
run_deep_tests() {
    local names
    names=$(grep -rlE --include='*.swift' 'TestForm\.isDeep|CREDKIT_DEEP' Tests | xargs -r -n 1 basename -s .swift | paste -sd '|')
    [ -n "$names" ] || { echo "error: no test has a longer form" >&2; return 1; }
    CREDKIT_DEEP=1 run_tests "\\.($names)\$"
}
