import FoundationEssentials
import MessageSchema
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Values that make no sense` {
    /// A body as it comes from the wire, and the parameter that has to be named; nil for one that is right.
    struct Case: Sendable, CustomTestStringConvertible {
        let body: String
        let parameter: String?
        let check: @Sendable (Data) throws -> Void

        var testDescription: String { body }

        init<R: Decodable & ParameterChecking & SendableMetatype>(_: R.Type, _ body: String, _ parameter: String?) {
            self.body = body
            self.parameter = parameter
            check = { try JSONDecoder().decode(R.self, from: $0).checkParameters() }
        }
    }

    private static let asset = #""assets-library://asset/asset.JPG?id=6B29FC40-CA47-1067-B31D-00DD010662DA&ext=JPG""#

    private static let films: [Case] =
        ([
            ("-1", false), ("0", false), ("0.05", false), ("1e308", false), ("86400.5", false), ("-1e308", false),
            ("0.1", true), ("5", true), ("86400", true), ("null", true),
        ] as [(String, Bool)]).map { value, isRight in
            Case(
                RecordMovie.self,
                #"{"settings":{"camera":"back","maximumDuration":\#(value)}}"#,
                isRight ? nil : "settings.maximumDuration"
            )
        }

    private static let timelapsesAndPreRolls: [Case] =
        ([
            (#""interval":0.1"#, nil), (#""interval":3600"#, nil), (#""interval":0"#, "settings.interval"),
            (#""interval":-3"#, "settings.interval"), (#""interval":3600.5"#, "settings.interval"),
            (#""interval":1,"playbackFramesPerSecond":120"#, nil),
            (#""interval":1,"playbackFramesPerSecond":0.5"#, "settings.playbackFramesPerSecond"),
            (#""playbackFramesPerSecond":30"#, "settings.playbackFramesPerSecond"),
            (#""preRoll":0.1"#, nil), (#""preRoll":30"#, nil), (#""preRoll":30.5"#, "settings.preRoll"),
            (#""preRoll":0"#, "settings.preRoll"), (#""preRoll":5,"interval":1"#, "settings.preRoll"),
            (#""microphone":"","interval":1"#, "settings.microphone"),
            (#""microphone":"PCH-0","interval":1"#, "settings.microphone"),
            (#""microphone":"","preRoll":5,"flash":"auto""#, nil),
        ] as [(String, String?)]).map { fields, parameter in
            Case(RecordMovie.self, #"{"settings":{"camera":"back",\#(fields)}}"#, parameter)
        }

    private static let pictures: [Case] = [
        Case(TakePhoto.self, #"{"settings":{"camera":"back","width":0}}"#, "settings.width"),
        Case(TakePhoto.self, #"{"settings":{"camera":"back","width":640,"height":-480}}"#, "settings.height"),
        Case(RecordMovie.self, #"{"settings":{"camera":"back","width":9223372036854775807}}"#, "settings.width"),
        Case(RecordMovie.self, #"{"settings":{"camera":"back","width":640,"height":480}}"#, nil),
        Case(TakePhoto.self, #"{"settings":{"camera":"back","width":1,"height":65500}}"#, nil),
        Case(TakePhoto.self, #"{"settings":{"camera":"back","width":65501}}"#, "settings.width"),
        Case(TakePhoto.self, #"{"settings":{"camera":"back","height":-9223372036854775808}}"#, "settings.height"),
        Case(TakePhoto.self, #"{"settings":{"camera":"back","count":0}}"#, "settings.count"),
        Case(TakePhoto.self, #"{"settings":{"camera":"back","count":101}}"#, "settings.count"),
        Case(TakePhoto.self, #"{"settings":{"camera":"back","count":100,"delay":600}}"#, nil),
        Case(TakePhoto.self, #"{"settings":{"camera":"back","delay":-0.001}}"#, "settings.delay"),
        Case(TakePhoto.self, #"{"settings":{"camera":"back","delay":1e308}}"#, "settings.delay"),
        Case(TakePhoto.self, #"{"settings":{"camera":"back","delay":0,"format":"raw","whenBusy":"refuse"}}"#, nil),
    ]

    private static let reads: [Case] =
        ([
            ("offset", "-1", false), ("length", "-1", false), ("chunk", "0", false), ("chunk", "1048577", false),
            ("chunk", "-9223372036854775808", false), ("offset", "9223372036854775807", true), ("length", "0", true),
            ("chunk", "1048576", true),
        ] as [(String, String, Bool)]).map { name, value, isRight in
            Case(ReadAsset.self, #"{"url":\#(asset),"\#(name)":\#(value)}"#, isRight ? nil : name)
        }

    private static let thumbnails: [Case] = [
        Case(ThumbnailAsset.self, #"{"url":\#(asset),"width":0,"height":10}"#, "width"),
        Case(ThumbnailAsset.self, #"{"url":\#(asset),"width":10,"height":4097}"#, "height"),
        Case(ThumbnailAsset.self, #"{"url":\#(asset),"width":1,"height":4096}"#, nil),
    ]

    private static let queries: [Case] = [
        Case(ListAssets.self, #"{"query":{"limit":-1}}"#, "query.limit"),
        Case(ListAssets.self, #"{"query":{"limit":0}}"#, nil),
        Case(ListAssets.self, #"{"query":{"offset":-1}}"#, "query.offset"),
        Case(CountAssets.self, #"{"query":{"offset":-1}}"#, "query.offset"),
        Case(ListAssets.self, #"{"query":{"area":{"south":1,"north":0,"west":0,"east":0}}}"#, "query.area"),
        Case(ListAssets.self, #"{"query":{"area":{"south":0,"north":91,"west":0,"east":0}}}"#, "query.area"),
        Case(ListAssets.self, #"{"query":{"area":{"south":0,"north":0,"west":0,"east":181}}}"#, "query.area"),
        Case(ListAssets.self, #"{"query":{"area":{"south":0,"north":0,"west":179,"east":-179}}}"#, nil),
        Case(ListAssets.self, #"{"query":{"text":"\#(String(repeating: "a ", count: 129))"}}"#, "query.text"),
        Case(CountAssets.self, #"{"query":{"text":"\#(String(repeating: "a ", count: 128))"}}"#, nil),
        Case(StartExport.self, #"{"selection":{"query":{"limit":-7}},"destination":"a"}"#, "selection.query.limit"),
        Case(StartExport.self, #"{"selection":{},"destination":"a","names":"../{name}"}"#, "names"),
        Case(StreamExport.self, #"{"selection":{"query":{"limit":-7}}}"#, "selection.query.limit"),
        Case(StreamExport.self, #"{"selection":{}}"#, nil),
    ]

    @Test(arguments: films + timelapsesAndPreRolls + pictures + reads + thumbnails + queries)
    func `are refused by the name of the parameter`(item: Case) throws {
        do {
            try item.check(Data(item.body.utf8))
            #expect(item.parameter == nil)
        } catch let error as ErrorReply {
            #expect(error.code == .invalidArgument)
            #expect(error.parameters?["parameter"] == item.parameter)
            #expect(error.reason?.hasPrefix("\(item.parameter ?? "nothing") has to be ") == true)
        }
    }
}
