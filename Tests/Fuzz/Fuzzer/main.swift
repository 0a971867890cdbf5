// usage: fuzzer TARGET [libFuzzer's flags and folders], or fuzzer --list
private import CFuzzer
private import Glibc

let names = FuzzTarget.allCases.map(\.rawValue)
if CommandLine.arguments.dropFirst() == ["--list"] {
    puts(names.joined(separator: "\n"))
    exit(0)
}
guard CommandLine.arguments.count > 1, let chosen = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
    puts("usage: fuzzer \(names.joined(separator: " | ")) [libFuzzer's flags and folders], or fuzzer --list")
    exit(64)
}
let target = chosen

// libFuzzer reads its own flags: the target's name is taken out of their way.
var count = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv + 1
unsafe arguments?[0] = unsafe CommandLine.unsafeArgv[0]
_ = unsafe LLVMFuzzerRunDriver(&count, &arguments) { data, size in
    guard let data = unsafe data else { return 0 }
    unsafe target.feed(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}
