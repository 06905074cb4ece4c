// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Hash functions and password schemes that are still used in tables and protocols, but are no longer safe.
///
/// They are only for compatibility: with checksums, with hash tables that await migration, and with servers whose
/// clients cannot be changed yet. Nothing here is fit for a new design; each type documents its weaknesses and its
/// replacement.
public enum Legacy {}
