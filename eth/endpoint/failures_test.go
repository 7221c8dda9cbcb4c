package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// misbehavior is a way of an endpoint to fail, with what an operator must be told.
type misbehavior struct {
	name string
	// do answers a request badly; it may echo the request's secrets.
	do   func(w http.ResponseWriter, r *http.Request)
	code fault.Code
	says string
}

// echo is everything secret that a server sees of a request.
func echo(r *http.Request) string {
	user, password, _ := r.BasicAuth()
	return r.URL.String() + " " + r.URL.RawQuery + " " + user + ":" + password + " " + r.Header.Get("Authorization")
}

func status(code int, body func(*http.Request) string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		_, _ = fmt.Fprint(w, body(r))
	}
}

func rpcError(code int, message string) func(*http.Request) string {
	return func(r *http.Request) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, message+" "+echo(r))
	}
}

func page(r *http.Request) string  { return "<html><body>Sorry, " + echo(r) + "</body></html>" }
func plain(r *http.Request) string { return "no: " + echo(r) }

// The ways to fail that a server can be made to show at any time.
func misbehaviors() []misbehavior {
	return []misbehavior{
		{"401", status(401, plain), fault.RPCKeyRefused, "HTTP 401"},
		{"403", status(403, page), fault.RPCKeyRefused, "HTTP 403: a page of HTML"},
		{"429", status(429, plain), fault.RPCRateLimited, "HTTP 429"},
		{"500", status(500, plain), fault.RPCGarbage, "HTTP 500"},
		{"502 HTML", status(502, page), fault.RPCGarbage, "HTTP 502: a page of HTML"},
		{"HTML", status(200, page), fault.RPCGarbage, "a page of HTML, not JSON-RPC"},
		{"half JSON", status(200, func(r *http.Request) string { return `{"jsonrpc":"2.0","id":1,"result":"` + echo(r) }),
			fault.RPCGarbage, "not JSON-RPC"},
		{"other JSON", status(200, func(r *http.Request) string { return fmt.Sprintf(`{"hello":%q}`, echo(r)) }),
			fault.RPCGarbage, "not JSON-RPC"},
		{"empty", status(200, func(*http.Request) string { return "" }), fault.RPCGarbage, "an empty answer"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere?"+echo(r), http.StatusMovedPermanently)
		}, fault.RPCGarbage, "redirection"},
		{"limit", status(200, rpcError(-32005, "limit exceeded for")), fault.RPCRateLimited, "too many requests"},
		{"credits", status(200, rpcError(-32000, "monthly quota reached for")), fault.RPCRateLimited, "too many requests"},
		{"key", status(200, rpcError(-32600, "Must be authenticated!")), fault.RPCKeyRefused, "refuses the key"},
		{"broken inside", status(200, rpcError(-32603, "internal error at")), fault.RPCGarbage, "internal error"},
		{"hang up", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			_ = conn.Close()
		}, fault.RPCUnreachable, "the connection ended"},
		{"hang", hang, fault.RPCTimeout, "context deadline exceeded"},
	}
}

// The secrets of a URL, which must be found nowhere.
var secrets = []string{"pathKey-7f3a9b", "queryKey-55aa77", "userName-abc", "passWord-xyz%20q", "passWord-xyz q"}

func secretURL(t *testing.T, base string) core.Secret {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	u.Path, u.RawQuery = "/v2/"+secrets[0], "apikey="+secrets[1]
	u.User = url.UserPassword(secrets[2], secrets[4])
	return core.NewSecret(u.String())
}

// methods is every read, by name.
func methods(ctx context.Context, p *Pool) map[string]func() error {
	return map[string]func() error{
		"Head":           func() error { _, err := p.Head(ctx); return err },
		"HeaderByNumber": func() error { _, err := p.HeaderByNumber(ctx, 7); return err },
		"CallContract":   func() error { _, err := p.CallContract(ctx, ethereum.CallMsg{}, 0); return err },
		"CallBatch":      func() error { _, err := p.CallBatch(ctx, 0, make([]ethereum.CallMsg, 3)); return err },
		"Logs":           func() error { _, _, err := p.Logs(ctx, 1, 5, LogFilter{}); return err },
		"BalanceAt":      func() error { _, err := p.BalanceAt(ctx, common.Address{}, 0); return err },
		"NonceAt":        func() error { _, err := p.NonceAt(ctx, common.Address{}, 0); return err },
		"PendingNonceAt": func() error { _, err := p.PendingNonceAt(ctx, common.Address{}); return err },
		"EstimateGas":    func() error { _, err := p.EstimateGas(ctx, ethereum.CallMsg{}); return err },
		"GasPrice":       func() error { _, err := p.GasPrice(ctx); return err },
		"SuggestTip":     func() error { _, err := p.SuggestTip(ctx); return err },
		"Send":           func() error { return p.SendTransaction(ctx, signedTx(0)) },
		"Receipt":        func() error { _, err := p.TransactionReceipt(ctx, protocol.TxHash{1}); return err },
		"Transaction":    func() error { _, _, err := p.TransactionByHash(ctx, protocol.TxHash{1}); return err },
	}
}

func TestEveryFailureOfEveryMethod(t *testing.T) {
	t.Parallel()
	for _, m := range misbehaviors() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(m.do))
			defer server.Close()
			for name := range methods(t.Context(), nil) {
				checkFailure(t, name, server.URL, m)
			}
		})
	}
}

func TestFailuresToConnect(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + listener.Addr().String()
	_ = listener.Close()
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	defer untrusted.Close()
	untrusted.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	clear := httptest.NewServer(http.NotFoundHandler())
	defer clear.Close()
	for _, tt := range []struct{ url, says string }{
		{closed, "connection refused"},
		{"ws" + strings.TrimPrefix(closed, "http"), "connection refused"},
		{"http://no-such-host.invalid", "DNS"},
		{untrusted.URL, "TLS"},
		{"https" + strings.TrimPrefix(clear.URL, "http"), "does not speak TLS"},
		{"wss" + strings.TrimPrefix(clear.URL, "http"), "TLS"},
	} {
		checkFailure(t, "Head", tt.url, misbehavior{code: fault.RPCUnreachable, says: tt.says})
	}
	notSocket := "ws" + strings.TrimPrefix(clear.URL, "http")
	checkFailure(t, "Head", notSocket, misbehavior{code: fault.RPCGarbage, says: "HTTP 404"})
}

// checkFailure runs one method against one failing endpoint and looks at all that
// is shown.
func checkFailure(t *testing.T, method, base string, m misbehavior) {
	t.Helper()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	board := health.New(logger, time.Now, health.EndpointCauses())
	p, err := New(Options{
		Endpoints: []Endpoint{{URL: secretURL(t, base)}}, ChainID: 42161, CallTimeout: patience(m), Log: logger, Board: board,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	err = methods(t.Context(), p)[method]()
	p.remotes[0].trips = max(p.remotes[0].trips, 2)
	p.report(p.remotes[0])
	shown := fmt.Sprintf("%v %+v %s %+v", err, board.Snapshot(), log.String(), p.Status())
	for e := err; e != nil; e = errors.Unwrap(e) {
		shown += e.Error()
	}
	for _, secret := range secrets {
		if strings.Contains(strings.ToLower(shown), strings.ToLower(secret)) {
			t.Errorf("%s: %q is shown in %s", method, secret, shown)
		}
	}
	if !errors.Is(err, fault.ChainUnavailable) || !errors.Is(err, m.code) || !strings.Contains(err.Error(), m.says) {
		t.Errorf("%s: %v; want %s saying %q", method, err, m.code, m.says)
	}
	found := false
	for _, c := range board.Snapshot() {
		found = found || c.Code == m.code
	}
	if !found {
		t.Errorf("%s: no condition %s in %+v", method, m.code, board.Snapshot())
	}
}

func TestScrubKeepsOtherWords(t *testing.T) {
	t.Parallel()
	u, _ := url.Parse("https://h/v2/0123456789abcdef?k=xy")
	s := newRedactor(u)
	for in, want := range map[string]string{
		"limit of v2: env2 xylophone k=xy":    "limit of ***: env2 xylophone ***",
		"key 0123456789ABCDEF is bad":         "key *** is bad",
		"key 23456789ab… is bad":              "key ***… is bad",
		"one\nline\x00 only":                  "one line only",
		strings.Repeat("a ", 500):             strings.Repeat("a ", 100) + "…",
		strings.Repeat("a", 795) + "01234567": strings.Repeat("a", 200) + "…",
	} {
		if got := s.clean(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// patience is short only where it is used up.
func patience(m misbehavior) time.Duration {
	if m.code == fault.RPCTimeout {
		return 200 * time.Millisecond
	}
	return 5 * time.Second
}

// hang never answers. The body is read because only then the server notices that
// the client left.
func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}
