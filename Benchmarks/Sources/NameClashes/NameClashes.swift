// Part of CredKit. SPDX-License-Identifier: Apache-2.0
// `script/test-names --programs` writes the files of this target to Generated/. They are compiled and never run.
