private import DecoderService
private import Files

@main
struct Main {
    /// Descriptor 3 is the channel; standard streams are whatever the parent gave.
    static func main() {
        let limits = WorkerLimits()
        limits.apply()
        do throws(FilesError) {
            try DecoderWorker(channel: DescriptorChannel(adopting: FileDescriptor(adopting: 3)), limits: limits).run()
        } catch {
            // The other end is gone or broken: there is nobody to tell.
        }
    }
}
