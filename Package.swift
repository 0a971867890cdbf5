// swift-tools-version: 6.3
import PackageDescription

// The six features are what Swift 6.3 lists for the next language mode. Warnings become errors in `deploy/test`,
// by a flag, so that a newer compiler does not break a user's build.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

func shared(_ name: String, _ dependencies: [Target.Dependency] = [], pages: [String] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Shared/\(name)",
        exclude: ["README.md"] + pages,
        swiftSettings: settings
    )
}

func service(_ folder: String, executable: String, _ dependencies: [Target.Dependency]) -> [Target] {
    [
        .target(
            name: "\(folder)Service",
            dependencies: dependencies,
            path: "Services/\(folder)/Service",
            swiftSettings: settings
        ),
        .executableTarget(
            name: executable,
            dependencies: [.target(name: "\(folder)Service"), "MessageSchema", "ServiceRuntime"],
            path: "Services/\(folder)/Executable",
            swiftSettings: settings
        ),
    ]
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies + ["TestSupport"],
        path: "Tests/\(name)",
        resources: resources,
        swiftSettings: settings
    )
}

let wrappers: [Target] = [
    .systemLibrary(name: "CZeroMQ", path: "Shared/CZeroMQ", providers: [.apt(["libzmq3-dev"])]),
    .systemLibrary(name: "CSQLite", path: "Shared/CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    // OpenSSL's libcrypto: SHA-256 with the processor's own instructions, HMAC and Ed25519.
    .systemLibrary(name: "CCrypto", path: "Shared/CCrypto", providers: [.apt(["libssl-dev"])]),
    // TurboJPEG: the fastest JPEG codec Debian has; frames are encoded and pictures are checked with it.
    .systemLibrary(name: "CTurboJPEG", path: "Shared/CTurboJPEG", providers: [.apt(["libturbojpeg0-dev"])]),
    // libpng: photos without loss; filters and deflate are no work of ours.
    .systemLibrary(name: "CPNG", path: "Shared/CPNG", providers: [.apt(["libpng-dev"])]),
    // FFmpeg: is this movie playable, and pictures in formats other than JPEG. A GPL build on Debian; only
    // `obscura-decoder` links all of it.
    .target(
        name: "CFFmpeg",
        path: "Shared/CFFmpeg",
        linkerSettings: ["avformat", "avcodec", "avutil", "swscale"].map { .linkedLibrary($0) }
    ),
    // The codecs of FFmpeg without its demuxers and protocols, for what is filmed: only `Encoding` uses them.
    .target(
        name: "CLibAVCodec",
        path: "Shared/CLibAVCodec",
        linkerSettings: ["avcodec", "avutil", "swscale"].map { .linkedLibrary($0) }
    ),
    .target(name: "CLinux", path: "Shared/CLinux", cSettings: [.define("_GNU_SOURCE")]),
    // ALSA: microphones. Only `Sound` uses it.
    .target(name: "CAlsa", path: "Shared/CAlsa", linkerSettings: [.linkedLibrary("asound")]),
    .target(name: "CVideo4Linux", path: "Shared/CVideo4Linux", cSettings: [.define("_GNU_SOURCE")]),
    // libv4lconvert: formats of cameras that nothing else here understands. Only `VideoConversion` uses it.
    .target(
        name: "CVideoConversion",
        path: "Shared/CVideoConversion",
        linkerSettings: [.linkedLibrary("v4lconvert")]
    ),
]

let modules: [Target] = [
    // Pure: no C, no input or output, no clock.
    shared("Media"),
    shared("Consent"),
    shared("MessageSchema", ["Consent", "Media"], pages: ["Wire.md"]),
    // Bytes at any offset, TIFF directories and file types: what the readers of pictures and films share.
    shared("Containers", ["Media"]),
    // Thin Swift over one C library each.
    shared("Timekeeping", ["CLinux"]),
    shared("Logging", ["Timekeeping"]),
    shared("Hashing", ["CCrypto"]),
    shared("Receipts", ["Consent", "Hashing"]),
    shared("Files", ["CLinux", "Hashing"]),
    shared("SQLite", ["CSQLite", "CLinux", "Files", "MessageSchema"]),
    shared("Imaging", ["CPNG", "CTurboJPEG", "Containers", "Media"]),
    shared("Movies", ["Containers", "Media", "Files"]),
    // A file without the metadata that a privacy profile takes out. Pure.
    shared("Redaction", ["Containers", "MessageSchema", "Movies"]),
    shared("Encoding", ["CLibAVCodec", "Imaging", "Media"]),
    shared("Video4Linux", ["CVideo4Linux", "CLinux", "EventLoop", "Media"]),
    shared("VideoConversion", ["CVideoConversion", "Video4Linux"]),
    shared(
        "Cameras",
        [
            "Containers", "EventLoop", "Files", "Imaging", "Media", "MessageSchema", "Movies", "Timekeeping",
            "Video4Linux", "VideoConversion",
        ]
    ),
    // Microphones.
    shared("Sound", ["CAlsa", "EventLoop", "MessageSchema", "Timekeeping"]),
    // Messages and processes.
    shared("EventLoop", ["CLinux", "CZeroMQ", "Timekeeping"]),
    // Devices that come and go: netlink and inotify, without libudev.
    shared("HotPlug", ["CLinux", "EventLoop", "Files", "Timekeeping"]),
    shared(
        "Messaging",
        ["CLinux", "CZeroMQ", "Consent", "EventLoop", "Files", "Hashing", "Logging", "MessageSchema", "Timekeeping"],
        pages: ["ThreatModel.md"]
    ),
    shared(
        "ServiceRuntime",
        ["CLinux", "Consent", "EventLoop", "Files", "Hashing", "Logging", "MessageSchema", "Messaging", "Timekeeping"]
    ),
    // What the probe and capture are both told of cameras.
    shared("CameraSettings", ["Cameras", "MessageSchema", "ServiceRuntime"]),
    // A bag (RFC 8493) written safely below one directory: by the exporter, and by the command line as its own user.
    shared("Bags", ["CLinux", "Files", "Hashing", "Media"]),
    // The public Swift API for programs.
    shared(
        "ObscuraClient",
        ["Consent", "EventLoop", "Files", "Hashing", "Media", "MessageSchema", "Messaging", "ServiceRuntime"]
    ),
]

let base: [Target.Dependency] = [
    "Consent", "EventLoop", "Files", "Hashing", "Logging", "Media", "MessageSchema", "Messaging", "ServiceRuntime",
    "Timekeeping",
]

let services: [Target] =
    service("Coordinator", executable: "obscura-coordinator", base + ["Receipts", "SQLite"])
    + service(
        "CapabilityProbe",
        executable: "obscura-probe",
        base + ["CameraSettings", "Cameras", "HotPlug", "Sound", "Video4Linux"]
    )
    + service(
        "Capture",
        executable: "obscura-capture",
        base + ["CameraSettings", "Cameras", "Encoding", "Imaging", "Movies", "Sound", "Video4Linux"]
    )
    + service("LibraryIndex", executable: "obscura-library", base + ["CLinux", "Containers", "Redaction", "SQLite"])
    + service(
        "Decoder",
        executable: "obscura-decoder",
        ["CFFmpeg", "CLinux", "Containers", "Files", "Imaging", "Media", "MessageSchema", "Movies", "Redaction"]
    )
    + service("Exporter", executable: "obscura-exporter", base + ["Bags", "SQLite"])
    + service(
        "CommandLine",
        executable: "obscura",
        base + ["Bags", "CLinux", "Containers", "ObscuraClient", "Receipts"]
    )

let testTargets: [Target] = [
    .target(
        name: "TestSupport",
        dependencies: ["Files", "Timekeeping", "CLinux"],
        path: "Tests/TestSupport",
        swiftSettings: settings
    ),
    // What every camera promises, for the tests of each kind.
    .target(
        name: "CameraConformance",
        dependencies: ["Cameras", "MessageSchema", "Video4Linux"],
        path: "Tests/CameraConformance",
        swiftSettings: settings
    ),
    // What every microphone promises, likewise.
    .target(
        name: "SoundConformance",
        dependencies: ["Sound"],
        path: "Tests/SoundConformance",
        swiftSettings: settings
    ),
    tests("EventLoopTests", ["EventLoop", "Timekeeping"]),
    tests(
        "MessagingTests",
        ["Messaging", "EventLoop", "MessageSchema", "Consent", "CZeroMQ", "Hashing", "Logging", "Timekeeping"]
    ),
    tests("ConsentTests", ["Consent"]),
    tests("MediaTests", ["Media"]),
    tests("ReceiptsTests", ["Consent", "Hashing", "Receipts"]),
    tests("FilesTests", ["Files", "Hashing"]),
    tests("SQLiteTests", ["SQLite", "Files"]),
    tests("ContainersTests", ["Containers", "Media"]),
    tests("ImagingTests", ["Containers", "Imaging", "Media"]),
    tests("MoviesTests", ["Containers", "Imaging", "Movies", "Media", "Files"]),
    tests(
        "RedactionTests",
        ["Containers", "DecoderService", "Files", "Imaging", "Media", "MessageSchema", "Movies", "Redaction"]
    ),
    tests("EncodingTests", ["Encoding", "Imaging", "Media", "Movies"]),
    tests(
        "DecoderTests",
        ["Containers", "DecoderService", "Files", "Imaging", "Media", "MessageSchema", "Movies", "obscura-decoder"]
    ),
    tests(
        "CamerasTests",
        [
            "CameraConformance", "Cameras", "Files", "Imaging", "Media", "MessageSchema", "Movies", "Timekeeping",
            "Video4Linux", "VideoConversion",
        ]
    ),
    tests(
        "ServiceRuntimeTests",
        [
            "ServiceRuntime", "CLinux", "Consent", "EventLoop", "Files", "Hashing", "Logging", "MessageSchema",
            "Messaging", "Timekeeping",
        ]
    ),
    tests("BagsTests", ["Bags", "Files", "Hashing", "Media"]),
    tests(
        "CaptureTests",
        [
            "CameraConformance", "CaptureService", "Cameras", "Consent", "Containers", "Encoding", "EventLoop", "Files",
            "Imaging", "Logging", "Media", "MessageSchema", "Messaging", "Movies", "ServiceRuntime", "Sound",
            "SoundConformance", "Timekeeping", "Video4Linux", "VideoConversion",
        ]
    ),
    tests("SoundTests", ["MessageSchema", "Sound", "SoundConformance", "Timekeeping"]),
    tests("HotPlugTests", ["CLinux", "Files", "HotPlug", "Timekeeping"]),
    tests(
        "ProbeTests",
        [
            "CapabilityProbeService", "Cameras", "HotPlug", "Media", "MessageSchema", "Sound", "Timekeeping",
            "Video4Linux",
        ]
    ),
    tests("ContractTests", ["MessageSchema", "Consent", "Media"], resources: [.copy("Golden")]),
    tests("CoordinatorTests", base + ["CLinux", "CoordinatorService", "Receipts", "SQLite"]),
    tests("ExporterTests", base + ["Bags", "ExporterService"]),
    tests(
        "LibraryIndexTests",
        base + [
            "Containers", "LibraryIndexService", "ObscuraClient", "Imaging", "Redaction", "SQLite", "obscura-decoder",
        ]
    ),
    tests(
        "CommandLineTests",
        base + [
            "CommandLineService", "obscura", "obscura-capture", "obscura-coordinator", "obscura-decoder",
            "obscura-exporter", "obscura-library", "obscura-probe", "Receipts",
        ]
    ),
    tests("ObscuraClientTests", base + ["ObscuraClient"]),
    // Programs as others write them: they know no module but the one for programs.
    .executableTarget(
        name: "cookbook",
        dependencies: ["ObscuraClient"],
        path: "Tests/SystemTests/Cookbook",
        swiftSettings: settings
    ),
    // Real executables, as a person or a program would run them.
    .testTarget(
        name: "SystemTests",
        dependencies: ["cookbook"],
        path: "Tests/SystemTests",
        exclude: ["Cookbook", "Impostor"],
        swiftSettings: settings
    ),
]

// Some targets are built alone, where a build is dear (sanitizers) or needs what others do not (fuzzing, benchmarks): their
// names, with commas.
func chosen(_ names: [String], from all: [Target]) -> [Target] {
    var wanted = Set(names)
    var found: [Target] = []
    while let target = all.first(where: { target in wanted.contains(target.name) && !found.contains { $0 === target } })
    {
        found.append(target)
        for dependency in target.dependencies {
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): wanted.insert(name)
            default: break
            }
        }
    }
    return found
}

// Linked with libFuzzer, so it is there only where it is asked for by name.
let fuzzing: [Target] = [
    .target(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .executableTarget(
        name: "fuzzer",
        dependencies: [
            "Bags", "CFuzzer", "Consent", "Containers", "DecoderService", "HotPlug", "Imaging", "Media",
            "MessageSchema",
            "Messaging", "Movies", "Redaction",
        ],
        path: "Tests/Fuzz/Fuzzer",
        swiftSettings: settings
    ),
]

// Capture's code alone, for `Tests/Benchmarks/run`.
let benchmarks: [Target] = [
    .executableTarget(
        name: "frame-benchmark",
        dependencies: ["Cameras", "CaptureService", "Files", "Video4Linux"],
        path: "Tests/Benchmarks/Frames",
        swiftSettings: settings
    )
]

let everything = wrappers + modules + services + testTargets
let choice = Context.environment["OBSCURA_TEST_TARGETS"].map { $0.split(separator: ",").map(String.init) }

let package = Package(
    name: "obscura",
    products: choice == nil ? [.library(name: "ObscuraClient", targets: ["ObscuraClient"])] : [],
    targets: choice.map { chosen($0, from: everything + fuzzing + benchmarks) } ?? everything
)
