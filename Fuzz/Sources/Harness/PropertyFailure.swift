// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A property that does not hold.
struct PropertyFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless a condition holds. The property is a sentence that should be true.
func require(_ condition: Bool, _ property: @autoclosure () -> String) throws(PropertyFailure) {
    guard condition else { throw PropertyFailure(property()) }
}

/// Throws unless two values are equal, and describes both.
func requireEqual<Value: Equatable>(
    _ left: Value,
    _ right: Value,
    _ property: @autoclosure () -> String
) throws(PropertyFailure) {
    guard left == right else { throw PropertyFailure("\(property()): \(left), \(right)") }
}

/// Calls a function that must not fail.
func requireSuccess<Value, Failure: Error>(
    _ property: @autoclosure () -> String,
    _ body: () throws(Failure) -> Value
) throws(PropertyFailure) -> Value {
    do throws(Failure) {
        return try body()
    } catch {
        throw PropertyFailure("\(property()): \(error)")
    }
}
