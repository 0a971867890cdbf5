import TestSupport
import Testing
import Video4Linux

@Suite("The graph of a media controller", .tags(.unit), .timeLimit(.minutes(1)))
struct MediaGraphTests {
    private typealias Function = MediaGraph.Function

    /// Entities by number: pads are the entity's number times ten, the sink 0 and the source 1; interfaces from 1000 on.
    private static func graph(
        _ functions: [UInt32: UInt32],
        nodes: [UInt32: UInt32],
        data: [(from: UInt32, to: UInt32, isEnabled: Bool)],
        beside: [(UInt32, UInt32)] = []
    ) -> MediaGraph {
        var pads: [UInt32: UInt32] = [:]
        for entity in functions.keys {
            pads[entity * 10] = entity
            pads[entity * 10 + 1] = entity
        }
        var links = data.map {
            MediaGraph.Link(source: $0.from * 10 + 1, sink: $0.to * 10, flags: $0.isEnabled ? 1 : 0)
        }
        links += nodes.keys.map { MediaGraph.Link(source: 1000 + $0, sink: $0, flags: 1 << 28) }
        links += beside.map { MediaGraph.Link(source: $0.0, sink: $0.1, flags: 2 << 28) }
        let interfaces = nodes.map { (1000 + $0.key, MediaGraph.Node(major: 81, minor: $0.value)) }
        return MediaGraph(
            functions: functions,
            interfaces: Dictionary(uniqueKeysWithValues: interfaces),
            pads: pads,
            links: links
        )
    }

    private static func node(_ minor: UInt32) -> MediaGraph.Node { MediaGraph.Node(major: 81, minor: minor) }

    /// Two sensors with a light each behind a bridge, whose switch is set to the first; the statistics have no part in it.
    private static func telephone(isSetUp: Bool) -> MediaGraph {
        graph(
            [
                1: Function.sensor, 2: Function.sensor, 3: 0x4009, 4: 0x0001_0001, 5: Function.flash, 6: Function.flash,
                7: 0x0001_0001,
            ],
            nodes: [1: 11, 2: 12, 4: 4, 5: 15, 6: 16, 7: 7],
            data: [(1, 3, isSetUp), (2, 3, false), (3, 4, true)],
            beside: [(1, 5), (2, 6)]
        )
    }

    @Test func `a node's sensor is the one that enabled links lead from, and its light the one beside it`() {
        let parts = Self.telephone(isSetUp: true).parts(of: Self.node(4))
        #expect(parts == MediaGraph.Parts(sensors: [Self.node(11)], lights: [Self.node(15)], hasSource: true))
    }

    @Test func `a graph that nobody has set up tells all sensors that could be reached`() {
        let parts = Self.telephone(isSetUp: false).parts(of: Self.node(4))
        let lights = [Self.node(15), Self.node(16)]
        #expect(parts == MediaGraph.Parts(sensors: [Self.node(11), Self.node(12)], lights: lights, hasSource: true))
    }

    @Test func `a node that nothing is connected with has no source, and one of another machine is not known`() {
        let graph = Self.telephone(isSetUp: true)
        #expect(graph.parts(of: Self.node(7)) == MediaGraph.Parts(sensors: [], lights: [], hasSource: false))
        #expect(graph.parts(of: Self.node(99)) == nil)
    }

    @Test func `with one sensor the one light is its, also where the kernel does not say so`() {
        let graph = Self.graph(
            [1: Function.sensor, 2: 0x0001_0001, 3: Function.flash],
            nodes: [2: 0, 3: 3],
            data: [(1, 2, true)]
        )
        #expect(
            graph.parts(of: Self.node(0)) == MediaGraph.Parts(sensors: [nil], lights: [Self.node(3)], hasSource: true)
        )
    }

    @Test func `a decoder of HDMI is a source, and a processor between memories is none`() {
        let hdmi = Self.graph([1: 0x6001, 2: 0x0001_0001], nodes: [2: 0], data: [(1, 2, true)])
        #expect(hdmi.parts(of: Self.node(0))?.hasSource == true)
        let processor = Self.graph(
            [1: 0x0001_0001, 2: 0x4009, 3: 0x0001_0001],
            nodes: [1: 1, 3: 3],
            data: [(1, 2, true), (2, 3, true)]
        )
        #expect(processor.parts(of: Self.node(3))?.hasSource == false)
    }

    @Test func `links in a circle and links of nothing end`() {
        let circle = Self.graph(
            [1: 0x4009, 2: 0x4009, 3: 0x0001_0001],
            nodes: [3: 0],
            data: [(1, 2, true), (2, 1, true), (2, 3, true), (77, 3, true), (1, 88, true)]
        )
        #expect(circle.parts(of: Self.node(0)) == MediaGraph.Parts(sensors: [], lights: [], hasSource: false))
    }

    @Test(arguments: ["81:0", "81:", "", ":", "81:0:0", "a:b", "4294967296:0"])
    func `a node's numbers are read as sysfs writes them`(text: String) {
        #expect(MediaGraph.Node(text) == (text == "81:0" ? Self.node(0) : nil))
    }
}
