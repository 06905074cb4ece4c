# Part of CredKit. SPDX-License-Identifier: Apache-2.0
# Extracts the symbol graphs of the library's modules. Must be sourced in the root of the repository,
# after checks.sh.
# shellcheck shell=bash

# The modules in the order of their imports.
library_modules=(CredKit CredKitKeychain CredKitServer CredKitPostgreSQL CredKitClient CredKitTesting)

# extract_symbol_graphs OUTPUT: writes the public symbols of the modules that `build_tests` compiled. It reads the
# modules, which takes a second, so nothing is compiled again.
extract_symbol_graphs() {
    local build=$test_build output=$1 module file search_paths
    search_paths=(-I "$build/release/Modules")
    while read -r file; do
        search_paths+=(-Xcc "-fmodule-map-file=$file")
    done < <(find "$build/checkouts" Sources -name module.modulemap
        find "$build/release/" -maxdepth 2 -path '*.build/module.modulemap')
    mkdir -p "$output"
    for module in "${library_modules[@]}"; do
        [ -f "$build/release/Modules/$module.swiftmodule" ] || {
            echo "$build has no module $module: run 'script/test build' first" >&2
            return 1
        }
        swift symbolgraph-extract -module-name "$module" -target "$(uname -m)-unknown-linux-gnu" \
            -minimum-access-level public -skip-inherited-docs -skip-synthesized-members -output-dir "$output" "${search_paths[@]}"
    done
}
