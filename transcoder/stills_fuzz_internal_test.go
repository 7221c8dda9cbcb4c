package transcoder

import (
	"bytes"
	"testing"
)

// FuzzWrap puts what a model server calls frames into a file.
func FuzzWrap(f *testing.F) {
	const one = pngHeader + "\x00\x00\x00\x10\x00\x00\x00\x10"
	f.Add([]byte(one), []byte(one+"xx"), 25.0)
	f.Fuzz(func(t *testing.T, a, b []byte, fps float64) {
		out, err := wrap([][]byte{a, b}, fps)
		if err == nil && (!bytes.Contains(out, a) || !bytes.Contains(out, b)) {
			t.Error("a frame is missing")
		}
	})
}
