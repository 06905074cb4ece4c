// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordCSV {
    /// What a column is.
    enum Column: Equatable {
        case title, account, password, address, notes, oneTimeCode
        case folder(FolderForm)
        case created, modified
        case createdMilliseconds, modifiedMilliseconds
        /// An attribute of the item. A value without quotes is missing, one with quotes may be empty.
        case attribute(String)
        /// A secret of its own.
        case field(String)
        /// A value without a place in an item, unless it is the usual one.
        case leftOut(String, usual: String, written: String)
        /// What follows from the other columns.
        case ignored
        /// A column that the program is not known to have.
        case unknown(String)
    }

    /// How a path of folders is written.
    enum FolderForm {
        case plain
        /// The first folder contains all others.
        case belowRoot
        /// Backslashes stand between the names.
        case backslashes
    }

    /// A column of a table.
    struct Head {
        let name: String
        let column: Column
        /// Whether a table without it is not of this program.
        let isRequired: Bool
        /// Names in other versions of the program.
        let otherNames: [String]

        static func required(_ name: String, _ column: Column, or otherNames: String...) -> Head {
            Head(name: name, column: column, isRequired: true, otherNames: otherNames)
        }

        static func optional(_ name: String, _ column: Column, or otherNames: String...) -> Head {
            Head(name: name, column: column, isRequired: false, otherNames: otherNames)
        }
    }

    struct Table {
        let format: PasswordFile.ImportFormat
        let heads: [Head]
        var quotesAll = false
    }

    /// The names of columns that have one-time codes in any table.
    static let codeNames: Set = ["totp", "otp", "otpauth", "otpsecret", "otpurl", "2fa"]

    /// The tables. One whose required columns others have as well stands behind them.
    static let tables: [Table] = [
        Table(
            format: .keePassXCCSV,
            heads: [
                .required("Group", .folder(.belowRoot)), .required("Title", .title),
                .required("Username", .account),
                .required("Password", .password), .required("URL", .address), .optional("Notes", .notes),
                .optional("TOTP", .oneTimeCode),
                .optional("Icon", .leftOut("icon", usual: "0", written: "0")),
                .optional("Last Modified", .modified), .optional("Created", .created),
            ],
            quotesAll: true
        ),
        Table(
            format: .firefoxCSV,
            heads: [
                .required("url", .address), .required("username", .account), .required("password", .password),
                .required("httpRealm", .attribute("httpRealm")),
                .required("formActionOrigin", .attribute("formActionOrigin")),
                .optional("guid", .leftOut("identifier", usual: "", written: "")),
                .optional("timeCreated", .createdMilliseconds),
                .optional("timeLastUsed", .leftOut("time of the last use", usual: "", written: "")),
                .optional("timePasswordChanged", .modifiedMilliseconds),
            ],
            quotesAll: true
        ),
        Table(
            format: .lastPassCSV,
            heads: [
                .required("url", .address), .required("username", .account), .required("password", .password),
                .optional("totp", .oneTimeCode), .required("extra", .notes), .required("name", .title),
                .required("grouping", .folder(.backslashes)),
                .optional("fav", .leftOut("favorite", usual: "0", written: "0")),
            ]
        ),
        Table(
            format: .bitwardenCSV,
            heads: [
                .required("folder", .folder(.plain)),
                .optional("favorite", .leftOut("favorite", usual: "", written: "")),
                .required("type", .ignored), .required("name", .title), .required("notes", .notes),
                .optional("fields", .field("fields")),
                .optional("reprompt", .leftOut("reprompt", usual: "0", written: "0")),
                .required("login_uri", .address), .required("login_username", .account),
                .required("login_password", .password), .optional("login_totp", .oneTimeCode),
            ]
        ),
        Table(
            format: .dashlaneCSV,
            heads: [
                .required("username", .account), .required("username2", .field("username2")),
                .optional("username3", .field("username3")), .required("title", .title),
                .required("password", .password), .required("note", .notes), .required("url", .address),
                .optional("category", .folder(.plain)), .optional("otpSecret", .oneTimeCode),
            ]
        ),
        Table(
            format: .protonPassCSV,
            heads: [
                .required("type", .ignored), .required("name", .title), .required("url", .address),
                .required("email", .field("email")), .required("username", .account),
                .required("password", .password), .required("note", .notes), .optional("totp", .oneTimeCode),
                .optional("createTime", .leftOut("created", usual: "", written: "")),
                .optional("modifyTime", .leftOut("modified", usual: "", written: "")),
                .optional("vault", .folder(.plain)),
            ]
        ),
        Table(
            format: .onePasswordCSV,
            heads: [
                .required("Title", .title), .required("Url", .address, or: "URL"),
                .required("Username", .account),
                .required("Password", .password), .optional("OTPAuth", .oneTimeCode),
                .required("Favorite", .leftOut("favorite", usual: "false", written: "false")),
                .required("Archived", .leftOut("archived", usual: "false", written: "false")),
                .optional("Tags", .leftOut("tags", usual: "", written: "")), .optional("Notes", .notes),
            ]
        ),
        Table(
            format: .appleCSV,
            heads: [
                .required("Title", .title), .required("URL", .address, or: "Url"),
                .required("Username", .account),
                .required("Password", .password), .optional("Notes", .notes),
                .optional("OTPAuth", .oneTimeCode),
            ]
        ),
        Table(
            format: .chromiumCSV,
            heads: [
                .required("name", .title), .required("url", .address), .required("username", .account),
                .required("password", .password), .optional("note", .notes),
            ]
        ),
    ]
}
