//go:build !unix

package alert

import "os/exec"

// ownProcessGroup does nothing on systems without process groups.
func ownProcessGroup(*exec.Cmd) {}
