//go:build !linux

package worker

import "syscall"

// setSendTimeout does nothing: other kernels find a dead peer only by keepalive probes.
func setSendTimeout(_, _ string, _ syscall.RawConn) error { return nil }
