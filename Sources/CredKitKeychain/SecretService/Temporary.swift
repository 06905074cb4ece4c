public struct AttributeScheme: Sendable { public static let generic = AttributeScheme() }
public struct SecretServiceStore: CredentialStore {
    public init(
        collection: String? = nil,
        scheme: AttributeScheme = .generic,
        interaction: Interaction = .never
    ) {}
    func checkIsUsable() async throws(KeychainError) { throw .noBus }
    public var name: String { "secret-service" }
    public var capabilities: StoreCapabilities { [] }
    public func credential(for key: CredentialKey) async throws(KeychainError) -> Credential? { nil }
    public func set(_ credential: Credential) async throws(KeychainError) {}
    public func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool { false }
    public func items(service: String?) async throws(KeychainError) -> [CredentialItem] { [] }
    public func search(_ attributes: [String: String]) async throws(KeychainError) -> [CredentialItem] { [] }
    public func update(_ changes: [CredentialChange]) async throws(KeychainError) {}
    public func lock() async throws(KeychainError) {}
    public func unlock() async throws(KeychainError) {}
}
