# Part of CredKit. SPDX-License-Identifier: Apache-2.0
# Functions that run tests which are already built. Must be sourced in the root of the repository, after checks.sh.
# shellcheck shell=bash

# run_tests PATTERN [EXCEPT [PACKAGE]]: runs the XCTest classes and the suites of Swift Testing whose names (Target.Class) match
# an extended regular expression, except those that match EXCEPT, in one process for each library; or tests (Target.Class/test),
# if PATTERN has a slash. It does not use `swift test`, which would lock the folder for one run at a time.
run_tests() {
    local bundle=$test_build/release/${3:-CredKit}PackageTests.xctest status=0 classes suites
    classes=$("$bundle" --list-tests | select_tests "$@") || return
    # 69: the bundle has no tests of this library.
    suites=$("$bundle" --testing-library swift-testing --list-tests | select_tests "$@") || [ $? = 69 ] || return
    [ -n "$classes$suites" ] || { echo "error: no tests match $1 in $bundle" >&2; return 1; }
    # One after another, as XCTest runs them. It fails as well if it runs no test. `what_failed` shows lines with "error: ".
    [ -z "$suites" ] ||
        "$bundle" --testing-library swift-testing --no-parallel --filter "^($(paste -sd '|' <<<"$suites"))[/(]" 2>&1 |
        sed -uE $'s/\e\\[[0-9;]*m//g; s/^.* recorded an issue/error: &/' || status=$?
    [ -z "$classes" ] || "$bundle" "$(paste -sd , <<<"$classes")" || status=$?
    return $status
}

# select_tests PATTERN [EXCEPT]: prints the names in a list of tests that match: classes and suites, or tests if PATTERN has a
# slash.
select_tests() {
    local part='\1'
    [[ $1 != */* ]] || part='\1\3'
    # A name in backticks would be left out in silence.
    local list
    list=$(cat)
    [[ $list != *\`* ]] || { echo "error: a test has a name in backticks" >&2; return 1; }
    sed -nE "s#^([A-Za-z0-9_]+\.[A-Za-z0-9_]+)((/[A-Za-z0-9_]+)|\().*#$part#p" <<<"$list" | sort -u |
        { grep -E "$1" || true; } | { grep -vE "${2:-^$}" || true; }
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
