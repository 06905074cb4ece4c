// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitCommand

// No test and no fuzzer can link an executable, so that everything else is in the library.
CommandProgram.main()
