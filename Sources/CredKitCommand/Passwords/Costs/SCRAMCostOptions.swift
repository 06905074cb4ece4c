// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// The cost, form and preparation of a SCRAM verifier.
struct SCRAMCostOptions: CostOptions {
    enum Form: String, ExpressibleByArgument, CaseIterable {
        case postgresql, dovecot
    }

    enum Preparation: String, ExpressibleByArgument, CaseIterable {
        case rfc4013, postgresql
    }

    @Option(
        help: ArgumentHelp(
            "The number of iterations; many clients refuse more than 600000, and all fewer than 4096.",
            valueName: "n"
        )
    )
    var iterations: Int?

    @Option(help: "The form: PostgreSQL's, or that of Dovecot and GNU SASL (default: postgresql).")
    var form: Form?

    @Option(
        help:
            "How characters beyond ASCII are prepared, as clients must do too: by RFC 4013, or as PostgreSQL does, which accepts all (default: rfc4013)."
    )
    var preparation: Preparation?

    var costs: [String: Int?] { ["iterations": iterations] }

    func parameters(of scheme: PasswordHash.Scheme) throws -> PasswordParameters {
        // The costs of all schemes are checked alike.
        let count = try SchemeCosts.parameters(of: scheme, costs.compactMapValues { $0 }).costs.first?.value
        guard let count = count.flatMap({ Int($0) }), let iterations = try? SCRAM.Iterations.fewer(count)
        else { throw ValidationError("--iterations is out of range.") }
        let form: SCRAM.Verifier.Form = form == .dovecot ? .dovecot : .postgreSQL
        let preparation: SCRAM.Preparation = preparation == .postgresql ? .postgreSQL : .rfc4013
        return scheme == .scramSHA512
            ? .scramSHA512(iterations: iterations, form: form, preparation: preparation)
            : .scramSHA256(iterations: iterations, form: form, preparation: preparation)
    }
}
