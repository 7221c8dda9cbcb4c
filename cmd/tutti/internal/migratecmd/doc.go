// Package migratecmd is `tutti migrate`, and finds the existing node whose keys and tickets
// are taken over, for the node's start as well. What is read there is package
// core/migrate's. cmd/tutti and `tutti init` call it.
package migratecmd
