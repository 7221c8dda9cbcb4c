// Package layout checks the shape of the source tree: which package may import which and
// why, that every package says what it is for, that files, structs and package main stay
// small and lines short, that package variables are read-only, that names use the trade's
// words (docs/glossary.md), that no program is tracked, and that the pages for developers
// name functions and files that exist.
//
// It holds tests only. They read the tree with go list and the parser, compile
// nothing of it, and so need neither libav nor a GPU. `make lint` runs them.
package layout
