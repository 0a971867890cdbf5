// The module's first file; see README.md.
