// The target's first file; see ../README.md.
