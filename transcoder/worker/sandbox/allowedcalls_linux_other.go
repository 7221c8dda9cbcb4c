//go:build linux && !amd64 && !arm64

package sandbox

// abi 0 is none: nothing is known of this architecture's calls.
const abi = 0

func serving() []call    { return nil }
func driving() []call    { return nil }
func opening() []call    { return nil }
func openingGPU() []call { return nil }
func watching() []call   { return nil }
