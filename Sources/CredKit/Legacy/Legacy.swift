// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Hash functions and password schemes that live on in tables and protocols, and are not safe any more.
///
/// Everything here exists to work with what is there: checksums, hash tables that wait for their migration,
/// servers whose clients cannot be changed yet. Nothing here is fit for a new design; each type says what it is
/// weak against and what to use instead.
public enum Legacy {}
