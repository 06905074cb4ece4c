// Part of CredKit. SPDX-License-Identifier: Apache-2.0
// CBaseline only links this library.
