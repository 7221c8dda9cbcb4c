package aiapi

import (
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// TestResultsAreWhereTheAnswerCameFrom: a result is at the host, the port and in the scheme of its orchestrator. By the
// time it is fetched the host's name may lead to a server without TLS on the gateway's own network.
func TestResultsAreWhereTheAnswerCameFrom(t *testing.T) {
	t.Parallel()
	for address, row := range map[string]struct {
		orchestrator string
		taken        bool
	}{
		"https://o:8935/stream/1.png":  {"https://o:8935", true},
		"/stream/1.png":                {"o:8935", true},
		"http://o:8935/stream/1.png":   {"http://o:8935", true},
		"http://o:80/latest/meta-data": {"https://o:80", false},
		"http://o:80/latest/user-data": {"o:80", false},
		"https://o:8936/stream/1.png":  {"https://o:8935", false},
		"https://p:8935/stream/1.png":  {"https://o:8935", false},
		"https://o:443/stream/2.png":   {"http://o:443", false},
	} {
		if _, err := resultURL(row.orchestrator, address); row.taken != (err == nil) ||
			err != nil && !errors.Is(err, fault.ResultFetchFailed) {
			t.Errorf("%s of %s: %v", address, row.orchestrator, err)
		}
	}
}
