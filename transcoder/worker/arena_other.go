//go:build !linux

package worker

import "os"

// sharedMemory is nil: here payloads go through the stream.
func sharedMemory(int64) (*os.File, error) { return nil, nil }
