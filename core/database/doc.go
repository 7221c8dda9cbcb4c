// Package database opens the node's database file, tutti.db: private to its
// owner, with commits that reach the disk before they count, and with patience
// for others who open it at the same moment. It also counts the steps of each
// owner's tables, because several parts of the node keep theirs in this one file.
//
// It knows no driver, so that core builds without a C compiler: whoever opens
// names one that is registered and says which of its errors mean that the file is
// somebody else's at this moment. Packages that own tables call it.
package database
