package e2e

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// A model server that limits a client says so through orchestrator and gateway, and is left
// alone by that client until then.
func TestModelServersLimitReachesItsClient(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	_, _, gw := cannedPath(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), "greedy") {
			return // the node looks what the server is
		}
		asked.Add(1)
		w.Header().Set("Retry-After", "77")
		http.Error(w, `{"error":{"message":"too many tokens"}}`, http.StatusTooManyRequests)
	})
	request := chatRequest(cannedModel, 5, false)
	request["user"] = "greedy"
	for range 5 {
		res, err := post(t.Context(), gw+"/v1/chat/completions", "", request)
		if err != nil {
			t.Fatal(err)
		}
		body := string(readAll(t, res))
		after, err := strconv.Atoi(res.Header.Get("Retry-After"))
		if res.StatusCode != http.StatusTooManyRequests || err != nil || after < 60 || after > 77 ||
			!strings.Contains(body, `"code":"rate_limit_exceeded"`) {
			t.Errorf("%d, Retry-After %q: %s", res.StatusCode, res.Header.Get("Retry-After"), body)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the model server was asked %d times", n)
	}
}
