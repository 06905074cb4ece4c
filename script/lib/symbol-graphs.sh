# Part of CredKit. SPDX-License-Identifier: Apache-2.0
# Extracts the symbol graphs of the library's modules. Must be sourced in the root of the repository.
# shellcheck shell=bash

# The modules in the order of their imports.
library_modules=(CredKit CredKitKeychain CredKitServer CredKitPostgreSQL CredKitClient CredKitTesting)

# extract_symbol_graphs BUILD OUTPUT: writes the public symbols of modules that `swift build` compiled to the folder BUILD,
# with the default traits. It reads the compiled modules, which takes a second, so nothing is compiled again.
extract_symbol_graphs() {
    local build=$1 output=$2 module file search_paths
    search_paths=(-I "$build/debug/Modules")
    while read -r file; do
        search_paths+=(-Xcc "-fmodule-map-file=$file")
    done < <(find "$build/checkouts" Sources -name module.modulemap
        find "$build/debug/" -maxdepth 2 -path '*.build/module.modulemap')
    mkdir -p "$output"
    for module in "${library_modules[@]}"; do
        [ -f "$build/debug/Modules/$module.swiftmodule" ] || {
            echo "$build has no module $module: run 'swift build --build-tests' first" >&2
            return 1
        }
        swift symbolgraph-extract -module-name "$module" -target "$(uname -m)-unknown-linux-gnu" \
            -minimum-access-level public -skip-inherited-docs -skip-synthesized-members -output-dir "$output" "${search_paths[@]}"
    done
}
