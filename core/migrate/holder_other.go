//go:build !linux

package migrate

// Holder names the process that uses the database of a data directory. On this system none can
// be found, and only the node's admin port tells whether it runs.
func Holder(string) string { return "" }
