# Part of CredKit. SPDX-License-Identifier: Apache-2.0
# Functions of the scripts that build and check. Must be sourced in the root of the repository.
# shellcheck shell=bash

# CredKit's own warnings are errors in all checks: see Package.swift.
export CREDKIT_CHECKS=1

# swift_build ARGUMENT…: runs `swift build`. SwiftPM passes the traits to the compiler in the order of a set, which varies
# between runs unless hashing is deterministic; another order recompiles the whole package. Packages can share a folder, since
# the plan of a build is made anew each time: SwiftPM would otherwise use that of the last package.
swift_build() { SWIFT_DETERMINISTIC_HASHING=1 swift build --disable-build-manifest-caching "$@"; }

# build_tests ARGUMENT…: builds what checks run, to $test_build. A release build without optimization takes half of the time of a
# debug build, since the compiler reads a module once for all of its files; and a command in a debug build spends most of its
# time on ArgumentParser's validation of itself. Does nothing for this package in a check that began after the check `build` had
# passed.
test_build=.build-tests
build_tests() {
    [ "${CREDKIT_IS_BUILT:-}" != 1 ] || [[ " $* " == *-path* ]] || return 0
    swift_build -c release -Xswiftc -Onone -Xswiftc -enable-testing --enable-index-store -debug-info-format none \
        --scratch-path "$test_build" "$@"
}

# step TITLE COMMAND…: runs a command, with a title before it and its duration after it.
step() {
    local title=$1 started=$SECONDS
    shift
    printf '== %s\n' "$title"
    "$@"
    printf '== %s: %s s\n' "$title" $((SECONDS - started))
}

# what_failed LOG: prints the failure lines of a log, or its end if no such line is recognized, for which it needs pipefail.
what_failed() {
    # The first frames of a sanitizer's stacks name the place.
    grep -E '(^|[^ (]|[^,(] )error: |^Test Case .* failed|(WARNING|ERROR): [A-Za-z]+Sanitizer|^    #[0-4] |Fatal error|runtime error:|^FAILED' "$1" |
        cut -c1-1000 | head -n 60 || tail -n 20 "$1"
}

# Parallel checks ---------------------------------------------------------------------------------------------------

checks=()
declare -A check_needs=() check_claim=() check_command=() check_state=() check_started=() check_pid=()
check_folder=.build-checks/$(basename "$0")
ticker=

# check NAME "NEEDS" "CLAIM" COMMAND…: declares a check. NEEDS are the checks that must pass first; one after a tilde must
# only have ended, and only if it runs at all. CLAIM is what it checks.
check() {
    checks+=("$1")
    check_needs[$1]=$2
    check_claim[$1]=$3
    check_command[$1]=$(printf '%q ' "${@:4}")
}

# list_checks: prints each check with its processor time in the last run, and what it checks.
list_checks() {
    local name
    for name in "${checks[@]}"; do
        printf '%-16s %6s  %s\n' "$name" "$(processor_time "$check_folder/$name.times")" "${check_claim[$name]}"
    done
}

# processor_time FILE: prints the seconds in a file of `time`; a dash if there is none.
processor_time() {
    [ -s "$1" ] || { echo - && return; }
    awk 'NF == 2 { sum = $1 + $2 } END { printf "%d s\n", sum }' "$1"
}

# run_checks NAME…: runs these checks (by default all) and their prerequisites, one more at once than there are
# processors. Prints when each check starts and ends, its failures, and finally `checks: N passed, N failed`.
run_checks() {
    local name pid status
    if [ "${1:-}" = --list ]; then
        list_checks
        return
    fi
    for name in "${@:-${checks[@]}}"; do
        [ -n "${check_command[$name]:-}" ] || {
            printf 'no such part: %s; the parts are: %s\n' "$name" "${checks[*]}" >&2
            return 64
        }
        select_check "$name"
    done
    rm -rf "$check_folder"
    mkdir -p "$check_folder"
    # Each check has a separate process group, so that its processes end with it.
    set -m
    trap stop_checks EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    sleep 20 &
    ticker=$!
    start_checks
    while [ ${#check_pid[@]} -gt 0 ]; do
        status=0
        wait -n -p pid "${check_pid[@]}" "$ticker" || status=$?
        if [ "$pid" = "$ticker" ]; then
            show_progress
            sleep 20 &
            ticker=$!
        else
            end_check "$pid" "$status"
            start_checks
        fi
    done
    # Without this the shell reports when the last one ends.
    { kill "$ticker" && wait "$ticker"; } 2>/dev/null || true
    trap - EXIT INT TERM
    summarize_checks
}

# A check is waiting, running, passed, failed or, if a prerequisite did not pass, not run.
select_check() {
    local need
    check_state[$1]=waiting
    for need in ${check_needs[$1]}; do
        [[ $need == '~'* || -n ${check_state[$need]:-} ]] || select_check "$need"
    done
}

start_checks() {
    local name changed=1
    while [ $changed = 1 ]; do
        changed=0
        for name in "${checks[@]}"; do
            [ "${check_state[$name]:-}" = waiting ] || continue
            case $(readiness "$name") in
            ready)
                # One more than there are processors, because tests wait for servers and terminals half of the time.
                [ ${#check_pid[@]} -le "$(nproc)" ] || return 0
                start_check "$name"
                ;;
            never)
                check_state[$name]='not run'
                printf '%-17s not run, because a check that it needs did not pass\n' "$name"
                changed=1
                ;;
            esac
        done
    done
}

readiness() {
    local need
    for need in ${check_needs[$1]}; do
        case ${need:0:1}${check_state[${need#\~}]:-none} in
        ?passed | '~failed' | '~not run' | '~none') ;;
        ?waiting | ?running)
            echo later
            return
            ;;
        *)
            echo never
            return
            ;;
        esac
    done
    echo ready
}

start_check() {
    check_state[$1]=running
    check_started[$1]=$SECONDS
    printf '%-17s started\n' "$1"
    (
        # Processes that the check itself starts belong to its group.
        set +m
        trap - EXIT INT TERM
        [ "${check_state[build]:-}" != passed ] || export CREDKIT_IS_BUILT=1
        TIMEFORMAT='%U %S'
        { time bash_check "$1"; } 2>"$check_folder/$1.times"
    ) </dev/null &
    check_pid[$1]=$!
}

# In a subshell that exits at the first failed command.
bash_check() { (set -e && eval "${check_command[$1]}") >"$check_folder/$1.log" 2>&1; }

end_check() {
    local name status=$2 processor
    for name in "${!check_pid[@]}"; do [ "${check_pid[$name]}" != "$1" ] || break; done
    unset "check_pid[$name]"
    processor=$(processor_time "$check_folder/$name.times")
    if [ $status = 0 ]; then
        check_state[$name]=passed
        printf '%-17s passed in %s s (%s of processor time)  %s\n' "$name" $((SECONDS - check_started[$name])) \
            "$processor" "$(last_line "$name")"
    else
        check_state[$name]=failed
        printf '%-17s FAILED after %s s (exit status %s): %s\n' "$name" $((SECONDS - check_started[$name])) \
            "$status" "$check_folder/$name.log"
        what_failed "$check_folder/$name.log" | sed 's/^/    /'
    fi
}

# Reports the running checks, each with its last line of output, such as a build's progress.
show_progress() {
    local name
    for name in "${checks[@]}"; do
        [ -n "${check_pid[$name]:-}" ] || continue
        printf '%-17s %s s  %s\n' "$name" $((SECONDS - check_started[$name])) "$(last_line "$name")"
    done
}

last_line() {
    tail -n 20 "$check_folder/$1.log" | tr -d '\r' | sed 's/^[[:space:]]*//' | grep . | tail -n 1 | cut -c1-110
}

stop_checks() {
    local pid
    for pid in "${check_pid[@]}" "${ticker:-}"; do kill -- "-$pid" 2>/dev/null || true; done
}

summarize_checks() {
    local name passed=0 others=()
    for name in "${checks[@]}"; do
        case ${check_state[$name]:-none} in
        none) ;;
        passed) passed=$((passed + 1)) ;;
        *) others+=("$name") ;;
        esac
    done
    printf 'took %s s; logs in %s\n' "$SECONDS" "$check_folder"
    # Once more, since the output between may be long and logs of other machines out of reach.
    for name in "${others[@]}"; do
        [ "${check_state[$name]}" = failed ] || continue
        printf '%s:\n' "$name"
        # head may end before the other has written all.
        what_failed "$check_folder/$name.log" | head -n 20 || true
    done
    [ ${#others[@]} -eq 0 ] || printf 'did not pass: %s\n' "${others[*]}"
    printf 'checks: %s passed, %s failed\n' "$passed" ${#others[@]} | tee "$check_folder/summary"
    [ ${#others[@]} -eq 0 ]
}
