package batch

import "os"

// lockByte is always true: a node is not upgraded while it runs here, so that no other process has
// the directory.
func lockByte(*os.File, int64, bool) (bool, error) { return true, nil }
