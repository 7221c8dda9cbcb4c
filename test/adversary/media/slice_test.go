package media

import (
	"net/http"
	"testing"
)

// TestSlicesOfUnscaledStreams: a client asks for parts of segments whose frames need no
// scaling. Each part comes, and no media worker dies of it.
func TestSlicesOfUnscaledStreams(t *testing.T) {
	t.Parallel()
	node, addr := orchestrator(t)
	_, gw := gateway(t, addr)
	segments := honest(t, 2)
	n := 0
	for _, slice := range [][2]string{
		{"0", "300"}, {"0", "1"}, {"200", "700"}, {"900", "0"}, {"500", "500"}, {"0", "0"},
	} {
		for _, s := range segments {
			status, text, err := push(t.Context(), gw, "sliced", n, s.Data,
				"Content-Slice-From", slice[0], "Content-Slice-To", slice[1])
			if n++; err != nil || status != http.StatusOK {
				t.Errorf("from %s to %s ms: status %d, %v: %.200s", slice[0], slice[1], status, err, text)
			}
		}
	}
	// A slice that holds no frame is refused by name, and no worker dies of it either.
	for _, from := range []string{"990", "100000"} {
		status, text, err := push(t.Context(), gw, "empty", 0, segments[1].Data, "Content-Slice-From", from)
		if err != nil || status != http.StatusOK && status != http.StatusUnprocessableEntity {
			t.Errorf("from %s ms: status %d, %v: %.200s", from, status, err, text)
		}
	}
	if status, text, err := push(t.Context(), gw, "after", 0, segments[0].Data); err != nil || status != http.StatusOK {
		t.Errorf("an ordinary segment afterwards: status %d, %v: %.200s", status, err, text)
	}
	if d := deaths(node); d != 0 {
		t.Errorf("%d media workers died", d)
	}
}
