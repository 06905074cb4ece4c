// Part of CredKit. SPDX-License-Identifier: Apache-2.0
// Only linked, from CBaseline.
