package process

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestReachable(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"0.0.0.0:8935":   "127.0.0.1:8935",
		"[::]:8935":      "127.0.0.1:8935 [::1]:8935",
		"192.0.2.7:8935": "192.0.2.7:8935",
		"[::1]:8935":     "[::1]:8935",
	} {
		addr, err := net.ResolveTCPAddr("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(reachable(addr), " "); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
}

// TestAnswers: a socket of one family alone, as a service manager may open it, answers
// at the address of that family.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, at := range []struct{ network, addr string }{{"tcp4", "0.0.0.0:0"}, {"tcp6", "[::]:0"},
		{"tcp", "127.0.0.1:0"}} {
		l, err := net.Listen(at.network, at.addr)
		if err != nil {
			t.Logf("no %s here: %v", at.network, err)
			continue
		}
		s := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.NotFoundHandler()}}
		s.Start()
		if err := Answers(t.Context(), "http://", l.Addr()); err != nil {
			t.Errorf("%s %s: %v", at.network, l.Addr(), err)
		}
		s.Close()
		if err := Answers(t.Context(), "http://", l.Addr()); err == nil {
			t.Errorf("%s: a closed listener answers", l.Addr())
		}
	}
}
