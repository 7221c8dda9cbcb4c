// Package datalock keeps a second process from writing the files of a data directory. The
// node holds the locks while it runs; commands that write take the same ones.
package datalock
