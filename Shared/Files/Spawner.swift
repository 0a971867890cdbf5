private import CLinux
private import Glibc

/// Lays a request out in memory as C wants it, for the time of one call.
struct Spawner {
    private let request: ChildRequest

    init(_ request: ChildRequest) {
        self.request = request
    }

    func spawn() throws(FilesError) -> Int32 {
        for text in [request.executable] + request.arguments {
            try FilesError.refuseNUL(in: text, "spawn")
        }
        let arguments = CStrings([request.executable] + request.arguments)
        let environment = request.environment.map { values in
            CStrings(values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
        }
        let directory = CStrings(request.workingDirectory.map { [$0] } ?? [])
        let limits = self.limits
        let descriptors = self.descriptors
        let groups = request.identity?.groups ?? []
        var step: UnsafePointer<CChar>?
        let child = withExtendedLifetime((arguments, environment, directory)) {
            unsafe limits.withUnsafeBufferPointer { limits in
                unsafe withBuffers(descriptors, groups) { descriptors, groups in
                    var spawn = unsafe clinux_spawn(
                        path: arguments.pointers[0].unsafelyUnwrapped,
                        arguments: arguments.base,
                        environment: environment.map { unsafe UnsafePointer($0.base) } ?? clinux_environment(),
                        working_directory: directory.pointers[0],
                        descriptors: descriptors.baseAddress,
                        descriptor_count: Int32(descriptors.count / 2),
                        limits: limits.baseAddress,
                        limit_count: Int32(limits.count),
                        new_process_group: request.hasOwnGroup ? 1 : 0,
                        new_session: request.hasOwnSession ? 1 : 0,
                        user: request.identity.map { Int64($0.user) } ?? -1,
                        group: request.identity.map { Int64($0.group) } ?? -1,
                        groups: groups.baseAddress,
                        group_count: Int32(groups.count),
                        parent_death_signal: request.parentDeathSignal ?? 0,
                        no_new_privileges: request.hasNoNewPrivileges ? 1 : 0
                    )
                    return unsafe clinux_spawn(&spawn, &step)
                }
            }
        }
        guard child < 0 else { return child }
        let number = errno
        let name = unsafe step.map { unsafe String(cString: $0) } ?? "fork"
        throw FilesError(errorNumber: number, operation: "spawn: \(name)", path: request.executable)
    }

    private func withBuffers<Result>(
        _ descriptors: [Int32],
        _ groups: [UInt32],
        _ body: (UnsafeBufferPointer<Int32>, UnsafeBufferPointer<UInt32>) -> Result
    ) -> Result {
        unsafe descriptors.withUnsafeBufferPointer { descriptors in
            unsafe groups.withUnsafeBufferPointer { groups in unsafe body(descriptors, groups) }
        }
    }

    private var descriptors: [Int32] {
        let listed = Set(request.descriptors.map(\.there))
        let standard: [Int32] = request.keepsStandardStreams ? [0, 1, 2].filter { !listed.contains($0) } : []
        return standard.flatMap { [$0, $0] } + request.descriptors.flatMap { [$0.here, $0.there] }
    }

    private var limits: [clinux_limit] {
        let all: [(Int32, UInt64?)] = [
            (clinux_limit_address_space(), request.limits.addressSpace),
            (clinux_limit_processor_time(), request.limits.processorSeconds),
            (clinux_limit_open_files(), request.limits.openFiles),
            (clinux_limit_core(), request.limits.coreBytes),
            (clinux_limit_file_size(), request.limits.fileBytes),
        ]
        return all.compactMap { resource, value in value.map { clinux_limit(resource: resource, value: $0) } }
    }
}

/// A NULL-ended array of C strings that lives as long as this object.
@safe private final class CStrings {
    let pointers: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>

    init(_ texts: [String]) {
        unsafe pointers = .allocate(capacity: texts.count + 1)
        for (index, text) in texts.enumerated() { unsafe pointers.initializeElement(at: index, to: strdup(text)) }
        unsafe pointers.initializeElement(at: texts.count, to: nil)
    }

    deinit {
        for index in unsafe pointers.indices { unsafe free(pointers[index]) }
        unsafe pointers.deallocate()
    }

    var base: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
        unsafe pointers.baseAddress.unsafelyUnwrapped
    }
}
