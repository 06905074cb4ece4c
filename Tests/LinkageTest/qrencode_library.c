// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares CredKit's declarations of libqrencode's functions with libqrencode's own header. Only compiled, never run: each
// different type is a compiler error.
#include <qrencode.h>
#include <stddef.h>

#define credkit_qr_code QRcode
#include "CCredKitQREncode.h"

#define COMPARE(result, name, parameters) result(*const compare_##name) parameters = name;
CREDKIT_QRENCODE_FUNCTIONS(COMPARE)

struct declared {
    CREDKIT_QR_MEMBERS
};
_Static_assert(sizeof(struct declared) == sizeof(QRcode), "size");
_Static_assert(offsetof(struct declared, width) == offsetof(QRcode, width), "width");
_Static_assert(offsetof(struct declared, data) == offsetof(QRcode, data), "data");
_Static_assert(CREDKIT_QR_LEVEL_L == (int)QR_ECLEVEL_L, "level");
