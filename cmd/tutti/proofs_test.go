package main

import (
	"net"
	"testing"
)

func TestReachable(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"0.0.0.0:8935":   "127.0.0.1:8935",
		"[::]:8935":      "[::1]:8935",
		"192.0.2.7:8935": "192.0.2.7:8935",
		"[::1]:8935":     "[::1]:8935",
	} {
		addr, err := net.ResolveTCPAddr("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		if got := reachable(addr); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
}
