//go:build !linux

package main

// runningNodes are known on Linux alone.
func runningNodes() []nodeProcess { return nil }
