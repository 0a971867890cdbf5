package import Cameras
private import MessageSchema
private import Testing
private import Video4Linux

/// What every camera promises to whoever uses it (`CameraDevice`), to be shown for each kind of camera alike.
package enum CameraRule: String, CaseIterable, Sendable {
    case `gives nothing before it is opened`
    case `gives whole frames of the format it told, later and later`
    case `is opened once at a time`
    case `loses no frame by a wait that is cancelled`
    case `ends a wait when it is closed, and can be opened again`
    case `refuses a light that it has not`
    case `takes the nearest of what it has`
}

/// A camera under test, and how its frames are made to come.
package struct CameraSubject: Sendable {
    package let device: any CameraDevice
    package var wanted = WantedFormat()
    /// Whether the next frame comes only when the test says so; else it may come at any time.
    package let isPaced: Bool
    /// Waits until the camera waits for a frame; returns at once where that can not be known.
    let waits: @Sendable () async -> Void
    /// Makes the frame come that is waited for.
    let give: @Sendable () async -> Void

    /// A camera whose frames come by themselves.
    package init(_ device: any CameraDevice, wanted: WantedFormat = WantedFormat()) {
        self.device = device
        self.wanted = wanted
        isPaced = false
        waits = {}
        give = {}
    }

    /// A camera whose frames come when the test says so.
    package init(
        _ device: any CameraDevice,
        wanted: WantedFormat = WantedFormat(),
        waits: @escaping @Sendable () async -> Void,
        give: @escaping @Sendable () async -> Void
    ) {
        self.device = device
        self.wanted = wanted
        self.waits = waits
        self.give = give
        isPaced = true
    }

    /// Checks a rule on a camera that is closed; it is closed afterwards.
    package func check(_ rule: CameraRule) async throws {
        switch rule {
        case .`gives nothing before it is opened`: try await checkNotOpen()
        case .`gives whole frames of the format it told, later and later`: try await checkFrames()
        case .`is opened once at a time`: try await checkOpenTwice()
        case .`loses no frame by a wait that is cancelled`: try await checkCancelling()
        case .`ends a wait when it is closed, and can be opened again`: try await checkClosing()
        case .`refuses a light that it has not`: try await checkLight()
        case .`takes the nearest of what it has`: try await checkNearest()
        }
        await device.close()
    }

    private func next() async throws -> CapturedFrame {
        async let frame = device.nextFrame()
        await waits()
        await give()
        return try await frame
    }

    private func isNotOpen() async {
        do throws(CameraError) {
            _ = try await device.nextFrame()
            Issue.record("A camera that is not open gave a frame.")
        } catch {
            #expect(error.code == .fault)
        }
    }

    private func checkNotOpen() async throws {
        await isNotOpen()
        await device.close()
        _ = await device.readings()
    }

    private func checkFrames() async throws {
        let format = try await device.open(wanted)
        #expect(format.isPlausible && format.planeCount == 1)
        var last = Int64.min
        for _ in 0..<3 {
            let frame = try await next()
            #expect(frame.format == format)
            #expect(frame.bytes.count >= format.leastByteCount)
            #expect(frame.stamp.microseconds > last)
            #expect(frame.stamp.lostBefore >= 0)
            last = frame.stamp.microseconds
        }
    }

    private func checkOpenTwice() async throws {
        _ = try await device.open(wanted)
        do throws(CameraError) {
            _ = try await device.open(wanted)
            Issue.record("A camera was opened twice.")
        } catch {
            #expect(error.code == .inUse)
        }
        _ = try await next()
    }

    private func checkCancelling() async throws {
        _ = try await device.open(wanted)
        let before = try await next()
        let waiting = Task { try await device.nextFrame() }
        await waits()
        waiting.cancel()
        switch await waiting.result {
        case .success: #expect(!isPaced)
        case .failure(let error): #expect((error as? CameraError)?.code == .cancelled)
        }
        let after = try await next()
        #expect(after.stamp.microseconds > before.stamp.microseconds)
        if isPaced { #expect(after.stamp.lostBefore == 0) }
    }

    private func checkClosing() async throws {
        _ = try await device.open(wanted)
        let waiting = Task { try await device.nextFrame() }
        await waits()
        await device.close()
        switch await waiting.result {
        case .success: #expect(!isPaced)
        // A camera that is quicker may have been closed before it was asked.
        case .failure(let error): #expect([.cancelled, .fault].contains((error as? CameraError)?.code))
        }
        await device.close()
        await isNotOpen()
        _ = try await device.open(wanted)
        _ = try await next()
    }

    private func checkLight() async throws {
        _ = try await device.open(wanted)
        do throws(CameraError) {
            try await device.setLight(true)
            #expect(device.camera.flash)
            try await device.setLight(false)
        } catch {
            #expect(!device.camera.flash && error.code == .notSupported)
        }
        _ = await device.readings()
        _ = try await next()
    }

    private func checkNearest() async throws {
        for (width, height) in [(1, 1), (1_000_000, 1), (Int.max, Int.max)] {
            var wish = wanted
            (wish.width, wish.height) = (width, height)
            let format = try await device.open(wish)
            #expect(format.isPlausible)
            await device.close()
        }
    }
}
