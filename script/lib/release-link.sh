# Part of CredKit. SPDX-License-Identifier: Apache-2.0
# Sets release_link_flags, the flags of `swift build` for the command of a release. Must be sourced in the root of
# the repository. A manifest cannot contain them: SwiftPM refuses a dependency with unsafe flags. docs/benchmarks.md
# shows the effect of each flag.

# Links the C++ library of Swift's runtime statically: the loader looks up 2,600 symbols for the shared one. A folder
# that contains only the archive makes the linker find it first; if there is no archive, the shared one is linked.
mkdir -p .build/release-link
cxx_archive=$(c++ -print-file-name=libstdc++.a 2>/dev/null || true)
if [[ "$cxx_archive" == /* ]]; then ln -sf "$cxx_archive" .build/release-link/libstdc++.a; fi

release_link_flags=(
    # The program does not depend on the folder in which it is built.
    -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=."
    # Otherwise each module has a section with a hash of its options, among them this folder.
    -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
    # A section for each function: the linker keeps or removes whole sections. By default it may not remove public functions.
    -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xcc -fdata-sections
    -Xswiftc -Xfrontend -Xswiftc -internalize-at-link
    -Xswiftc -use-ld=lld
    -Xswiftc "-L$PWD/.build/release-link" -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
    # No symbols, no debug information, and no exports, which Swift's static library requests: exported symbols are kept
    # even if unused. Functions with the same machine code become one, also if their addresses are taken: swiftc does not
    # mark those whose address matters, and no code compares addresses of functions.
    -Xlinker -s -Xlinker --no-export-dynamic -Xlinker --icf=all -Xlinker -O2
    # Addresses are resolved before the program starts, and their memory is read-only from then on.
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker -z -Xlinker noexecstack
)
# Stores the 49,000 addresses that the loader adjusts as a bitmap, which is 10 KB instead of 1.2 MB. glibc supports it
# since 2.36; a program linked there does not start with an older one.
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | awk '{ print $2 }' || true)
if [ -n "$glibc" ] && [ "$(printf '%s\n' 2.36 "$glibc" | sort -V | head -n 1)" = 2.36 ]; then
    release_link_flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
fi
