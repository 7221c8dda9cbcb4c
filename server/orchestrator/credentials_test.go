package orchestrator

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
)

// What was read once is read again from memory, mistakes are not remembered, and
// strangers cannot fill the memory.
func TestCredentials(t *testing.T) {
	t.Parallel()
	var c credentials
	head := func(manifest string) http.Header {
		text, err := rpc.EncodeHeader(rpc.ToSegData(&rpc.SegmentMeta{Manifest: core.ManifestID(manifest)}))
		if err != nil {
			t.Fatal(err)
		}
		return http.Header{segmentHeader: {text}}
	}
	if _, err := c.read(http.Header{segmentHeader: {"!"}}); err == nil || len(c.known) != 0 {
		t.Errorf("a mistake: %v, %d known", err, len(c.known))
	}
	for range 2 {
		req, err := c.read(head("33_m"))
		if err != nil || req.Manifest != "33_m" || len(c.known) != 1 {
			t.Errorf("%+v, %v, %d known", req, err, len(c.known))
		}
	}
	if req, err := c.read(head(strings.Repeat("m", maxCredential))); err != nil || len(req.Manifest) != maxCredential || len(c.known) != 1 {
		t.Errorf("a long one: %v, %d known", err, len(c.known))
	}
	for i := range 3 * maxCredentials {
		if _, err := c.read(head(strings.Repeat("m", i%1500+1) + string(rune('a'+i%26)))); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.known) > maxCredentials {
		t.Errorf("%d known", len(c.known))
	}
}
