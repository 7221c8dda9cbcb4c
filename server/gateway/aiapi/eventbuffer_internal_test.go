package aiapi

import (
	"strings"
	"testing"
)

// feed gives an intake a text in pieces of so many bytes and returns what it hands out.
func feed(in *eventBuffer, text string, piece int) (out []string) {
	for text != "" {
		n := copy(in.free(), text[:min(piece, len(text))])
		text = text[n:]
		if whole := in.add(n); len(whole) > 0 {
			out = append(out, string(whole))
		}
		in.compact()
	}
	return append(out, string(in.rest()))
}

func newIntake(t *testing.T) *eventBuffer {
	x := &relayedRequest{server: new(Server)}
	x.server.buffers.New = func() any { return new([bigBuffer]byte) }
	in := &eventBuffer{request: x, buf: x.smallBuf[:]}
	t.Cleanup(in.close)
	return in
}

// The end of an event is found wherever the pieces of a stream end.
func TestEventsInSmallPieces(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		text := strings.Repeat(": some\r\nlines"+end, 3) + "data"
		for piece := 1; piece <= len(text); piece++ {
			out := feed(newIntake(t), text, piece)
			rest := out[len(out)-1]
			if strings.Join(out, "") != text || rest != "data" {
				t.Errorf("pieces of %d bytes: %q", piece, out)
			}
		}
	}
}

// An orchestrator that sends an event without end byte by byte, of which each is a TLS
// record, costs the gateway no more than the bytes themselves: what was searched once is not
// searched again.
func TestSingleBytesAreSearchedOnce(t *testing.T) {
	t.Parallel()
	for filled := range bigBuffer {
		if again := filled - searchFrom(filled); again >= longestEnd {
			t.Fatalf("of %d bytes that were searched %d are searched again", filled, again)
		}
	}
}
