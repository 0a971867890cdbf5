import ExporterService
import MessageSchema
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `An export job's machine` {
    private static func machine(_ state: ExportState) -> ExportJobMachine {
        ExportJobMachine(ExportJob(job: "j", state: state, destination: "/d"))
    }

    /// Every state with every action: the state after it, and what is to be done.
    @Test(arguments: [
        (ExportState.running, ControlExport.Action.pause, ExportState.paused, ExportJobMachine.Action?.some(.stop)),
        (.running, .resume, .running, nil), (.running, .cancel, .cancelled, .stop),
        (.paused, .pause, .paused, nil), (.paused, .resume, .running, .start), (.paused, .cancel, .cancelled, nil),
        (.failed, .pause, .failed, nil), (.failed, .resume, .running, .start), (.failed, .cancel, .cancelled, nil),
        (.done, .pause, .done, nil), (.done, .resume, .done, nil), (.done, .cancel, .done, nil),
        (.cancelled, .pause, .cancelled, nil), (.cancelled, .resume, .cancelled, nil),
        (.cancelled, .cancel, .cancelled, nil),
    ])
    func `obeys`(
        before: ExportState,
        action: ControlExport.Action,
        after: ExportState,
        expected: ExportJobMachine.Action?
    ) {
        var machine = Self.machine(before)
        #expect(machine.apply(.controlled(action)) == expected)
        #expect(machine.job.state == after)
    }

    @Test(arguments: [ExportState.paused, .done, .failed, .cancelled])
    func `hears no more of work that it has ended`(state: ExportState) {
        var machine = Self.machine(state)
        let before = machine
        var findings = ExportFindings()
        findings.damaged = ["data/x"]
        let events: [ExportJobMachine.Event] = [
            .began, .planned(files: 1, bytes: 1), .skipped, .copied(bytes: 1), .finished,
            .broke(ErrorReply(.diskFull, "x")), .left(findings),
        ]
        for event in events { #expect(machine.apply(event) == nil) }
        #expect(machine == before)
    }

    @Test func `counts`() {
        var machine = Self.machine(.running)
        for event: ExportJobMachine.Event in [
            .began, .planned(files: 3, bytes: 30), .skipped, .copied(bytes: 10), .copied(bytes: 10), .finished,
        ] { _ = machine.apply(event) }
        #expect(machine.job.files == 3 && machine.job.bytes == 30)
        #expect(machine.job.copied == 2 && machine.job.copiedBytes == 20 && machine.job.skipped == 1)
        #expect(machine.job.verified == 3 && machine.job.state == .done)
    }
}
