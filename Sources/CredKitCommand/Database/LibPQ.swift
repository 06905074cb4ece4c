// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import Glibc

/// The functions of libpq, PostgreSQL's own client, which is loaded when it is needed.
///
/// Safe to use from several threads: the functions keep no state outside of their arguments.
struct LibPQ: @unchecked Sendable {
    typealias Texts = UnsafePointer<UnsafePointer<CChar>?>
    typealias NoticeReceiver = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void

    let connect: @convention(c) (Texts, Texts, Int32) -> OpaquePointer?
    let status: @convention(c) (OpaquePointer) -> Int32
    let connectionError: @convention(c) (OpaquePointer) -> UnsafePointer<CChar>?
    let setNoticeReceiver:
        @convention(c) (OpaquePointer, NoticeReceiver?, UnsafeMutableRawPointer?) -> NoticeReceiver?
    let socket: @convention(c) (OpaquePointer) -> Int32
    let send:
        @convention(c) (
            OpaquePointer, UnsafePointer<CChar>, Int32, OpaquePointer?, Texts?, OpaquePointer?,
            OpaquePointer?, Int32
        ) -> Int32
    let consumeInput: @convention(c) (OpaquePointer) -> Int32
    let isBusy: @convention(c) (OpaquePointer) -> Int32
    let result: @convention(c) (OpaquePointer) -> OpaquePointer?
    let close: @convention(c) (OpaquePointer) -> Void

    let resultStatus: @convention(c) (OpaquePointer) -> Int32
    let errorField: @convention(c) (OpaquePointer, Int32) -> UnsafePointer<CChar>?
    let rowCount: @convention(c) (OpaquePointer) -> Int32
    let columnCount: @convention(c) (OpaquePointer) -> Int32
    let type: @convention(c) (OpaquePointer, Int32) -> UInt32
    let isNull: @convention(c) (OpaquePointer, Int32, Int32) -> Int32
    let value: @convention(c) (OpaquePointer, Int32, Int32) -> UnsafePointer<UInt8>?
    let length: @convention(c) (OpaquePointer, Int32, Int32) -> Int32
    let clear: @convention(c) (OpaquePointer) -> Void

    static let connectionIsGood: Int32 = 0
    static let commandSucceeded: Int32 = 1
    static let rowsFollow: Int32 = 2

    /// Loads the library.
    static func load() throws -> LibPQ {
        guard let library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL) else {
            throw CommandFailure(
                .unavailable,
                "libpq is not installed, which --database needs (apt-get install libpq5)"
            )
        }
        func function<Function>(_ name: String) throws -> Function {
            guard let symbol = dlsym(library, name) else {
                throw CommandFailure(.unavailable, "libpq is too old: it has no function \(name)")
            }
            return unsafeBitCast(symbol, to: Function.self)
        }
        return LibPQ(
            connect: try function("PQconnectdbParams"),
            status: try function("PQstatus"),
            connectionError: try function("PQerrorMessage"),
            setNoticeReceiver: try function("PQsetNoticeReceiver"),
            socket: try function("PQsocket"),
            send: try function("PQsendQueryParams"),
            consumeInput: try function("PQconsumeInput"),
            isBusy: try function("PQisBusy"),
            result: try function("PQgetResult"),
            close: try function("PQfinish"),
            resultStatus: try function("PQresultStatus"),
            errorField: try function("PQresultErrorField"),
            rowCount: try function("PQntuples"),
            columnCount: try function("PQnfields"),
            type: try function("PQftype"),
            isNull: try function("PQgetisnull"),
            value: try function("PQgetvalue"),
            length: try function("PQgetlength"),
            clear: try function("PQclear")
        )
    }
}
