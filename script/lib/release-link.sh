# Part of CredKit. SPDX-License-Identifier: Apache-2.0
# Sets release_link_flags, the flags of `swift build` that link the command for release. To be sourced in the root of the
# repository. A manifest cannot have them: SwiftPM refuses a package with unsafe flags as a dependency of another.
# docs/benchmarks.md says what each is worth.

# The C++ library of Swift's runtime, linked statically: the loader looks up 2,600 symbols for the shared one. A folder that
# has the archive alone makes the linker find it first; where there is no archive, the shared one is linked.
mkdir -p .build/release-link
cxx_archive=$(c++ -print-file-name=libstdc++.a 2>/dev/null || true)
if [[ "$cxx_archive" == /* ]]; then ln -sf "$cxx_archive" .build/release-link/libstdc++.a; fi

release_link_flags=(
    -Xswiftc -use-ld=lld
    -Xswiftc "-L$PWD/.build/release-link" -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
    # No symbols and no debug information; and nothing exported, which Swift's static library asks for: what is exported is
    # kept, used or not.
    -Xlinker -s -Xlinker --no-export-dynamic -Xlinker --icf=safe -Xlinker -O2
    # Addresses are resolved before the program starts, and what holds them is read-only from then on.
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker -z -Xlinker noexecstack
)
# The 49,000 addresses that the loader adjusts as a bitmap, which is 10 KB instead of 1.2 MB. glibc reads it from 2.36 on; a
# program that was linked there starts with no older one.
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | awk '{ print $2 }' || true)
if [ -n "$glibc" ] && [ "$(printf '%s\n' 2.36 "$glibc" | sort -V | head -n 1)" = 2.36 ]; then
    release_link_flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
fi
