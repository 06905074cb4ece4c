# Part of CredKit. SPDX-License-Identifier: Apache-2.0
# Functions that run tests which are already built. Must be sourced in the root of the repository.
# shellcheck shell=bash

# test_classes SCRATCH PATTERN [BUNDLE]: prints the test classes whose names (Target.Class) match an extended regular
# expression, one per line.
test_classes() {
    "$1/debug/${3:-CredKitPackageTests}.xctest" --list-tests | sed -n 's|^\([A-Za-z0-9_]*\.[A-Za-z0-9_]*\)/.*|\1|p' | sort -u |
        grep -E "$2"
}

# run_tests SCRATCH PATTERN [EXCEPT [BUNDLE]]: runs these classes in one process, except those that match EXCEPT. It does not
# use `swift test`, which would lock the folder for one run at a time.
run_tests() {
    local classes
    classes=$(test_classes "$1" "$2" "${4:-}" | grep -vE "${3:-^$}" | paste -sd ,)
    [ -n "$classes" ] || { echo "error: no tests match $2 in $1" >&2; return 1; }
    "$1/debug/${4:-CredKitPackageTests}.xctest" "$classes"
}

# run_kernel_tests SCRATCH PATTERN [EXCLUDED]: the same with the kernels of each instruction set except the fastest, which all
# other runs use. A processor without an instruction set uses other kernels.
run_kernel_tests() {
    local kernels
    for kernels in portable ssse3 avx2; do
        echo "-- kernels $kernels"
        CREDKIT_KERNELS=$kernels run_tests "$1" "$2" "${3:-}"
    done
}

# run_deep_tests SCRATCH: runs the tests that have a longer form, in that form.
run_deep_tests() {
    local names
    names=$(grep -rlE --include='*.swift' 'TestForm\.isDeep|CREDKIT_DEEP' Tests | xargs -r -n 1 basename -s .swift | paste -sd '|')
    [ -n "$names" ] || { echo "error: no test has a longer form" >&2; return 1; }
    CREDKIT_DEEP=1 run_tests "$1" "\\.($names)\$"
}
