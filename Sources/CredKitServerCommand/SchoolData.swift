// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
/// The sample data for logged-in users: an invented school.
enum SchoolData {
    struct Student: Encodable, Sendable {
        let stuId: Int
        let name: String
        let classId: Int
        /// `null` for some students: clients must accept it, and must not display it.
        let phone: String?

        private enum CodingKeys: CodingKey { case stuId, name, classId, phone }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(stuId, forKey: .stuId)
            try container.encode(name, forKey: .name)
            try container.encode(classId, forKey: .classId)
            try container.encode(phone, forKey: .phone)
        }
    }

    struct StudentList: Encodable, Sendable {
        let dataTotal: Int
        let list: [Student]
    }

    struct Message: Encodable, Sendable {
        let id: Int
        let title: String
    }

    struct MessagePage: Encodable, Sendable {
        /// The number of all messages, under the names that both envelopes use.
        let dataTotal: Int
        let total: Int
        let page: Int
        let pageSize: Int
        let list: [Message]
    }

    static let students = [
        Student(stuId: 1, name: "王芳", classId: 666, phone: "555-0101"),
        Student(stuId: 2, name: "Zoë O'Brien", classId: 666, phone: nil),
        Student(stuId: 3, name: "李伟", classId: 666, phone: "555-0103"),
        Student(stuId: 4, name: "张敏", classId: 667, phone: nil),
    ]

    private static let messageCount = 40

    /// Returns a page of at most 100 messages; `nil` for invalid numbers.
    static func messages(page: Int, pageSize: Int) -> MessagePage? {
        guard (1...1_000_000).contains(page), (1...100).contains(pageSize) else { return nil }
        let first = (page - 1) * pageSize
        let ids = first < messageCount ? first..<min(first + pageSize, messageCount) : 0..<0
        return MessagePage(
            dataTotal: messageCount,
            total: messageCount,
            page: page,
            pageSize: pageSize,
            list: ids.map { Message(id: $0 + 1, title: "Message \($0 + 1)") }
        )
    }
}
#endif
