package http1_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/server/http1"
)

// A host that takes connections and says nothing keeps no other host's from being
// made, however many wait for it.
func TestOneSilentHostKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	const stuck = 100
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	well := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer well.Close()
	tr := transport(t, http1.Options{TLS: &tls.Config{InsecureSkipVerify: true}})
	ctx, leave := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	asked := make(chan struct{}, stuck)
	get := func(ctx context.Context, url string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		res, err := tr.RoundTrip(req)
		if err == nil {
			res.Body.Close()
		}
		return err
	}
	for range stuck {
		wg.Go(func() {
			asked <- struct{}{}
			if get(ctx, "https://"+silent.Addr().String()) == nil {
				t.Error("a silent host has answered")
			}
		})
	}
	for range stuck {
		<-asked
	}
	// The silent one has as many as it gets: they are in their handshakes.
	for range 32 {
		c, err := silent.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	if err := get(t.Context(), well.URL); err != nil {
		t.Errorf("the other host: %v", err)
	}
	leave()
	wg.Wait()
	if err := get(t.Context(), well.URL); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
