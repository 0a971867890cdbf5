private import DecoderService
private import Files
private import Glibc
private import MessageSchema

@main
struct Main {
    /// Descriptor 3 is the channel; standard streams are whatever the parent gave.
    static func main() {
        if CommandLine.arguments.dropFirst().contains("--help") {
            // Nobody who has closed standard output wants to read it.
            try? FileDescriptor(adopting: 1).writeAll(Array(help.utf8))
            return
        }
        let limits = WorkerLimits()
        limits.apply()
        do throws(Confinement.Refused) {
            try Confinement.apply()
        } catch {
            // Where the kernel has no filter the promise of our own code is what is left; nothing else is lived with.
            let words = "obscura-decoder: not confined: no filter of system calls (\(error.errorNumber))\n"
            try? FileDescriptor(adopting: 2).writeAll(Array(words.utf8))
            if !error.isUnsupported { exit(DecoderReply.unconfinedExitCode) }
        }
        do throws(FilesError) {
            try DecoderWorker(channel: DescriptorChannel(adopting: FileDescriptor(adopting: 3)), limits: limits).run()
        } catch {
            // The other end is gone or broken: there is nobody to tell.
        }
    }

    private static let help = """
        usage: obscura-decoder

        The library's worker for files that nobody trusts: it reads metadata, decodes and renders, one file at a time.
        The library starts it and speaks with it over descriptor 3, a SOCK_SEQPACKET socket; it ends when that is
        closed. There is nothing to start by hand.

        options
          --help  Show this help

        """
}
