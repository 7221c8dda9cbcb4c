package livepay

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestASingleShotIsOneRequest: a request to a single-shot runner is paid for itself. While it is in progress its
// session's name opens no further ones, which nothing would pay for, and for which the runner has no slot.
func TestASingleShotIsOneRequest(t *testing.T) {
	t.Parallel()
	n := newNode(t, 1e11)
	var served atomic.Int64
	begun := make(chan struct{}, 16)
	app := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health" {
			return
		}
		served.Add(1)
		begun <- struct{}{}
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	t.Cleanup(app.Close)
	n.register(`{"label":"fix","app":"demo/fixed","mode":"single-shot","capacity":1,"routing":"label",
		"price_info":{"price":0.001,"unit":"fixed"},"health_url":"/health","runner_url":"` + app.URL + `"}`)
	payer := n.payer(1)
	c, s := n.challenge("POST", "/apps/fix/app/x", payer)
	body, end := io.Pipe()
	r, err := http.NewRequest("POST", n.public.URL+"/apps/fix/app/x", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = n.paid(s, 1)
	done := make(chan int)
	go func() {
		res, err := n.public.Client().Do(r)
		if err != nil {
			done <- 0
			return
		}
		_ = res.Body.Close()
		done <- res.StatusCode
	}()
	<-begun
	at := "/apps/fix/session/" + string(c.Manifest)
	for range 5 {
		n.expect("another request in its session", n.send("POST", at+"/app/x", "", nil), http.StatusNotFound, "")
	}
	if got := served.Load(); got != 1 {
		t.Errorf("the runner served %d requests, 1 was paid", got)
	}
	_ = end.Close()
	if status := <-done; status != http.StatusOK {
		t.Errorf("the paid request ends with %d", status)
	}
	if _, units := n.credited(payer, c.Manifest); units != 1 {
		t.Errorf("%d requests were charged", units)
	}
}
