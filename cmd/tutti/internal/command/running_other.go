//go:build !linux

package command

// runningNodes are known on Linux alone.
func runningNodes() []nodeProcess { return nil }

// rootsAlone is asked on Linux alone.
func rootsAlone(string) bool { return false }
