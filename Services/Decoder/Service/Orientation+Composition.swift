package import Media

extension Orientation {
    /// The orientation that comes from this one and then another.
    package func then(_ next: Orientation) -> Orientation {
        let (m, n) = (matrix, next.matrix)
        let product = [
            n[0] * m[0] + n[2] * m[1], n[1] * m[0] + n[3] * m[1],
            n[0] * m[2] + n[2] * m[3], n[1] * m[2] + n[3] * m[3],
        ]
        return Orientation.allCases.first { $0.matrix == product } ?? .up
    }

    /// `[a, b, c, d]`, by which a stored point becomes `(ax + cy, bx + dy)`; y points down.
    private var matrix: [Int] {
        switch self {
        case .up: [1, 0, 0, 1]
        case .upMirrored: [-1, 0, 0, 1]
        case .down: [-1, 0, 0, -1]
        case .downMirrored: [1, 0, 0, -1]
        case .leftMirrored: [0, 1, 1, 0]
        case .right: [0, 1, -1, 0]
        case .rightMirrored: [0, -1, -1, 0]
        case .left: [0, -1, 1, 0]
        }
    }
}
