// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// One entry for each function of libcrypto, which jumps to its address. If that is still zero, libcrypto is loaded
// first; the registers that hold arguments are kept.
#include "include/openssl_functions.h"

#define ADDRESS(name) .Laddress_##name: .quad 0;
#define ENTRY(name) entry name;

#if defined(__x86_64__)
#define PAGE 4096

.macro entry name
    .globl credkit_\name
    .type credkit_\name, @function
    .balign 16
credkit_\name:
    .cfi_startproc
    movq .Laddress_\name(%rip), %r11
    testq %r11, %r11
    jz 1f
    jmpq *%r11
1:  callq load_first
    jmpq *.Laddress_\name(%rip)
    .cfi_endproc
    .size credkit_\name, . - credkit_\name
.endm

    .text
    .type load_first, @function
load_first:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %rax
    // Aligned to 16 bytes: the caller's and this return address, and eight registers.
    subq $128, %rsp
    movaps %xmm0, (%rsp)
    movaps %xmm1, 16(%rsp)
    movaps %xmm2, 32(%rsp)
    movaps %xmm3, 48(%rsp)
    movaps %xmm4, 64(%rsp)
    movaps %xmm5, 80(%rsp)
    movaps %xmm6, 96(%rsp)
    movaps %xmm7, 112(%rsp)
    callq credkit_openssl_load@PLT
    movaps (%rsp), %xmm0
    movaps 16(%rsp), %xmm1
    movaps 32(%rsp), %xmm2
    movaps 48(%rsp), %xmm3
    movaps 64(%rsp), %xmm4
    movaps 80(%rsp), %xmm5
    movaps 96(%rsp), %xmm6
    movaps 112(%rsp), %xmm7
    addq $128, %rsp
    popq %rax
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    popq %rbp
    .cfi_def_cfa %rsp, 8
    .cfi_restore %rbp
    retq
    .cfi_endproc
    .size load_first, . - load_first

#elif defined(__aarch64__)
#define PAGE 65536

.macro entry name
    .globl credkit_\name
    .type credkit_\name, @function
    .balign 16
credkit_\name:
    .cfi_startproc
    adrp x16, .Laddress_\name
    add x16, x16, :lo12:.Laddress_\name
    ldar x17, [x16]
    cbz x17, 1f
    br x17
1:  stp x16, x30, [sp, #-16]!
    .cfi_adjust_cfa_offset 16
    .cfi_offset x30, -8
    bl load_first
    ldp x16, x30, [sp], #16
    .cfi_adjust_cfa_offset -16
    .cfi_restore x30
    ldr x17, [x16]
    br x17
    .cfi_endproc
    .size credkit_\name, . - credkit_\name
.endm

    .text
    .type load_first, @function
load_first:
    .cfi_startproc
    stp x29, x30, [sp, #-208]!
    .cfi_def_cfa_offset 208
    .cfi_offset x29, -208
    .cfi_offset x30, -200
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    stp q0, q1, [sp, #80]
    stp q2, q3, [sp, #112]
    stp q4, q5, [sp, #144]
    stp q6, q7, [sp, #176]
    // The address of a returned struct.
    str x8, [sp, #-16]!
    .cfi_adjust_cfa_offset 16
    bl credkit_openssl_load
    ldr x8, [sp], #16
    .cfi_adjust_cfa_offset -16
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldp q0, q1, [sp, #80]
    ldp q2, q3, [sp, #112]
    ldp q4, q5, [sp, #144]
    ldp q6, q7, [sp, #176]
    ldp x29, x30, [sp], #208
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .size load_first, . - load_first

#else
#error "CredKit calls libcrypto on x86-64 and arm64 alone."
#endif

    CREDKIT_OPENSSL_FUNCTIONS(ENTRY)

    // Pages of their own, which cannot be written once they are filled.
    .bss
    .balign PAGE
    .globl credkit_openssl_addresses
    .hidden credkit_openssl_addresses
credkit_openssl_addresses:
    CREDKIT_OPENSSL_FUNCTIONS(ADDRESS)
    .balign PAGE
    .globl credkit_openssl_addresses_end
    .hidden credkit_openssl_addresses_end
credkit_openssl_addresses_end:

    .section .note.GNU-stack, "", %progbits
