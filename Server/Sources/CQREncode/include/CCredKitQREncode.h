// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_QRENCODE_H
#define CREDKIT_QRENCODE_H

// The parts of libqrencode that credkit-server calls. It is loaded for the first QR code; it is neither linked nor needed at
// build time, because a server whose users add no one-time codes draws none. script/test-linkage compares these
// declarations with libqrencode's header.

// One byte a module, row by row; its lowest bit is set for a black one.
#define CREDKIT_QR_MEMBERS \
    int version; \
    int width; \
    unsigned char *data;

// The type has its own name so that a program can also include libqrencode's header.
#ifndef credkit_qr_code
typedef struct {
    CREDKIT_QR_MEMBERS
} credkit_qr_code;
#endif

// QR_ECLEVEL_L: 7 % of the code may be unreadable. A screen has no dirt.
enum { CREDKIT_QR_LEVEL_L = 0 };

// F(result, name, (parameters)); version 0 is the smallest one in which the data has room.
#define CREDKIT_QRENCODE_FUNCTIONS(F) \
    F(credkit_qr_code *, QRcode_encodeData, (int size, const unsigned char *data, int version, unsigned level)) \
    F(void, QRcode_free, (credkit_qr_code *))

struct credkit_qrencode_library {
#define CREDKIT_QRENCODE_MEMBER(result, name, parameters) result(*name) parameters;
    CREDKIT_QRENCODE_FUNCTIONS(CREDKIT_QRENCODE_MEMBER)
#undef CREDKIT_QRENCODE_MEMBER
};

// Loads libqrencode and resolves its functions. Returns 0 if the library or one of the functions is missing.
int credkit_qrencode_library_load(struct credkit_qrencode_library *library);

#endif
