// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_SECRET_SHIM_H
#define CREDKIT_SECRET_SHIM_H

#include <libsecret/secret.h>

#endif
