//go:build !linux

package command

// runningNodes are known on Linux alone.
func runningNodes() []nodeProcess { return nil }
