package remotesigner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	service "github.com/tuttinode/tutti/server/remotesigner"
	"github.com/tuttinode/tutti/server/rpc"
)

// orchestrators are fake ones with runners.
func discovery(t *testing.T, body string) string {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/discovery" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func unverified() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig.InsecureSkipVerify = true
	transport.DisableKeepAlives = true
	return &http.Client{Transport: transport}
}

// Orchestrators are listed with what is affordable of them, and only runners with an address, an app and a price.
func TestFinder(t *testing.T) {
	t.Parallel()
	priced := func(url, app, price, unit string) string {
		return fmt.Sprintf(`{"url":%q,"app":%q,"price_info":{"price":%s,"currency":"wei","unit":%q},"more":1}`, url, app,
			price, unit)
	}
	o := discovery(t, `[{"address":"https://elsewhere.example","runners":[`+priced("u1", "demo/a", "5", "seconds")+`,`+
		priced("u2", "demo/dear", "500", "seconds")+`,`+priced("u1", "demo/again", "5", "seconds")+`,`+
		priced("", "demo/nowhere", "5", "seconds")+`,`+priced("u3", "demo/free", "0", "seconds")+`,`+
		priced("u4", "demo/unit", "5", "moons")+`,`+priced("u5", "demo/b", "7", "fixed")+`,7]}]`)
	silent := discovery(t, `{`)
	f := service.NewFinder(service.FinderOptions{
		List: func(context.Context) ([]string, error) { return []string{o, o + "/", silent}, nil },
		Survey: func(_ context.Context, uri string) (*rpc.OrchestratorInfo, error) {
			if uri == silent {
				return nil, errors.New("silent")
			}
			return &rpc.OrchestratorInfo{
				PriceInfo:          &rpc.PriceInfo{PricePerUnit: 90, PixelsPerUnit: 1},
				CapabilitiesPrices: []*rpc.PriceInfo{{PricePerUnit: 200, PixelsPerUnit: 1, Capability: 33, Constraint: "dear"}},
				Capabilities: &rpc.Capabilities{Constraints: &rpc.Capabilities_Constraints{
					PerCapability: map[uint32]*rpc.Capabilities_CapabilityConstraints{33: {
						Models: map[string]*rpc.Capabilities_CapabilityConstraints_ModelConstraint{"dear": {}, "cheap": {}},
					}},
				}},
			}, nil
		},
		Caps: caps{video: big.NewRat(100, 1), model: big.NewRat(100, 1)}, Client: unverified(),
		Log: slog.New(slog.DiscardHandler),
	})
	if _, ready := f.Orchestrators(t.Context(), nil); ready {
		t.Error("it lists before it asked")
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx, func() {}) }()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	var all []service.Listed
	for ready := false; !ready; all, ready = f.Orchestrators(t.Context(), nil) {
		<-ticker.C
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	text, err := json.Marshal(all)
	want := fmt.Sprintf(`[{"address":%q,"score":1,"capabilities":["llm/cheap","demo/a","demo/b"],"runners":[%s,%s]}]`, o,
		priced("u1", "demo/a", "5", "seconds"), priced("u5", "demo/b", "7", "fixed"))
	if err != nil || string(text) != want {
		t.Errorf("%v\n%s, want\n%s", err, text, want)
	}
	for query, n := range map[string]int{"demo/b": 1, "llm/dear": 0, "*": 1} {
		if got, _ := f.Orchestrators(t.Context(), []string{"x/y", query}); len(got) != n {
			t.Errorf("%s: %d orchestrators", query, len(got))
		}
	}
}
