package hls_test

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/hls"
)

// FuzzStore drives a store with arbitrary segments and checks what players rely
// on: every listed segment can be fetched, media sequence numbers never go back,
// and the limits hold.
func FuzzStore(f *testing.F) {
	f.Add([]byte{1, 20, 2, 20, 3, 20}, "low")
	f.Add([]byte{9, 1, 0, 255, 0, 0, 200, 3, 201, 3}, "a/b")
	f.Fuzz(func(t *testing.T, script []byte, name string) {
		key := hls.Keys([]string{name})[0]
		s := hls.NewStore(hls.Limits{Watched: 4, Unwatched: 2, StreamBytes: 600, TotalBytes: 500})
		s.Open("live", []hls.Variant{{Key: key}})
		var sequence string
		for len(script) >= 2 {
			s.Publish("live", hls.Segment{
				Number: core.SegmentNumber(script[0]), Duration: time.Duration(script[1]) * time.Millisecond,
				Data: [][]byte{bytes.Repeat([]byte{1}, int(script[1]))},
			})
			script = script[2:]
			if s.Bytes() > 500 {
				t.Fatalf("%d bytes kept", s.Bytes())
			}
			list, err := s.Media("live", key, t0)
			if err != nil {
				continue
			}
			sequence = checkList(t, s, key, list, sequence)
		}
	})
}

func checkList(t *testing.T, s *hls.Store, key string, list []byte, before string) string {
	t.Helper()
	var sequence string
	sc := bufio.NewScanner(bytes.NewReader(list))
	for sc.Scan() {
		line := sc.Text()
		if v, ok := strings.CutPrefix(line, "#EXT-X-MEDIA-SEQUENCE:"); ok {
			sequence = v
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		k, file, ok := strings.Cut(line, "/")
		if !ok || k != key {
			t.Fatalf("line %q of\n%s", line, list)
		}
		if _, err := s.File("live", key, strings.TrimSuffix(file, ".ts"), core.FormatMPEGTS); err != nil {
			t.Fatalf("listed but not there: %v", err)
		}
	}
	if len(sequence) < len(before) || len(sequence) == len(before) && sequence < before {
		t.Fatalf("media sequence went from %s to %s", before, sequence)
	}
	return sequence
}
