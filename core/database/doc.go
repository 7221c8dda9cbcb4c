// Package database opens the node's database file, tutti.db: private to its
// owner, with commits that are on disk before they return, and with retries while
// another process opens it. It also versions each owner's tables, because several
// components keep theirs in this one file.
//
// It imports no driver, so that core builds without a C compiler: the caller names a
// registered one and which of its errors mean that the file is locked. Packages that
// own tables call it.
package database
