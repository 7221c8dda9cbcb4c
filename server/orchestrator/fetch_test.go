package orchestrator_test

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fetchurl"
)

// store is a gateway's object store.
func store(t *testing.T, body []byte) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/segment.ts", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter,
		r *http.Request) {
		http.Redirect(w, r, "/segment.ts", http.StatusFound)
	})
	mux.HandleFunc("/round", func(w http.ResponseWriter,
		r *http.Request) {
		http.Redirect(w, r, "/round", http.StatusFound)
	})
	mux.HandleFunc("/created", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		_,
			_ = w.Write(body)
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "400000000")
		w.WriteHeader(http.StatusOK)
	})
	srv := httptest.NewTLSServer(mux)
	t.Cleanup(srv.Close)
	return srv
}

func (n *node) postURI(url string, hash []byte) *http.Request {
	n.t.Helper()
	req := n.post(meta(n.offer().GetAuthToken(), hash), strings.NewReader(url))
	req.Header.Set("Content-Type", "application/vnd+livepeer.uri")
	return req
}

func TestSegmentByAddress(t *testing.T) {
	t.Parallel()
	body := make([]byte, 3_000_000)
	_, _ = rand.Read(body)
	st := store(t, body)
	n := newNode(t, func(s *setup) { s.listener.Stores = fetchurl.Networks{netip.MustParsePrefix("127.0.0.0/8")} })
	for _, path := range []string{"/segment.ts", "/moved"} {
		res, answer := do(t, n.h2, n.postURI(st.URL+path+"\n", body))
		if res.StatusCode != http.StatusOK || result(t, answer).GetError() != "" {
			t.Errorf("%s: %d %q", path, res.StatusCode, answer)
		}
	}
	res, answer := do(t, n.h2, n.postURI(st.URL+"/segment.ts", []byte("something else")))
	wantText(t, res, answer, http.StatusForbidden, "Forbidden")

	for _, url := range []string{
		"", "segment.ts", "file:///etc/passwd", "ftp://127.0.0.1/x", st.URL + "/missing", st.URL + "/created",
		st.URL + "/round", st.URL + "/endless", "http://127.0.0.1:1/", "https://" + strings.Repeat("x", 9000),
	} {
		res, answer := do(t, n.h2, n.postURI(url, body))
		wantText(t, res, answer, http.StatusBadRequest, "BadRequest")
	}
}

// TestPrivateAddressesAreNotFetched: no peer may have this node read what only it
// can reach.
func TestPrivateAddressesAreNotFetched(t *testing.T) {
	t.Parallel()
	body := []byte("secret")
	st := store(t, body)
	n := newNode(t)
	res, answer := do(t, n.h2, n.postURI(st.URL+"/segment.ts", body))
	wantText(t, res, answer, http.StatusBadRequest, "BadRequest")
	if n.fake.Jobs() != 0 {
		t.Error("it was fetched")
	}
}

// TestSegmentIsNotTakenByOtherTypes: any other type is the segment itself.
func TestSegmentIsNotTakenByOtherTypes(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	req := n.postURI("https://node.example/x", []byte("https://node.example/x"))
	req.Header.Set("Content-Type", "application/vnd+livepeer.uri; charset=utf-8")
	res, answer := do(t, n.h2, req)
	if res.StatusCode != http.StatusOK || result(t, answer).GetError() != "" {
		t.Errorf("%d %q", res.StatusCode, answer)
	}
}
