package doctorcmd

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/server/tlscert"
)

func TestRunningNode(t *testing.T) {
	t.Parallel()
	w, _ := seen(t)
	if r := get(t, w.Running); r.Up || r.Unreachable != "" {
		t.Errorf("no listener: %+v", r)
	}
	answers := map[string]any{
		adminapi.PathNode: adminapi.Node{Version: "0", Network: "offchain"},
		adminapi.PathConditions: adminapi.Conditions{Conditions: []adminapi.Condition{{Code: "PortClosed", About: "a",
			Detail: "b"}, {Code: "RPCTimeout", HiddenBy: "ChainUnavailable"}}},
		adminapi.PathWorkers:  adminapi.Workers{Workers: []adminapi.Worker{{Name: "cpu", State: "ready", Sessions: 3}}},
		adminapi.PathSettings: adminapi.Settings{MaxSessions: "5"},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a, ok := answers[r.URL.Path]; ok {
			_ = json.NewEncoder(w).Encode(a)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(s.Close)
	at := strings.TrimPrefix(s.URL, "http://")
	w, _ = seen(t, "-cliAddr", at)
	r := get(t, w.Running)
	if !r.Up || r.Version != "0" || r.Mine != "1" || r.Sessions != 3 || r.Limit != 5 || len(r.Workers) != 1 {
		t.Errorf("%+v", r)
	}
	if len(r.Conditions) != 1 || r.Conditions[0].Code != fault.PortClosed || r.Conditions[0].Detail != "a: b" {
		t.Errorf("%+v", r.Conditions)
	}
	w, _ = seen(t, "-cliAddr", at, "-network", "devnet")
	if r = get(t, w.Running); r.Up || !strings.Contains(r.Unreachable, "another node") {
		t.Errorf("of another network: %+v", r)
	}
	delete(answers, adminapi.PathNode)
	w, _ = seen(t, "-cliAddr", at)
	if r = get(t, w.Running); r.Up || !strings.Contains(r.Unreachable, "no tutti") {
		t.Errorf("no node: %+v", r)
	}
}

func TestAddressBeforeTheFirstStart(t *testing.T) {
	t.Parallel()
	port := strconv.Itoa(freePort(t))
	w, _ := seen(t, "-orchestrator", "-transcoder", "-serviceAddr", "127.0.0.1:"+port)
	if a := get(t, w.Address); !a.Reached || len(a.Findings) != 0 || a.Resolved[0] != "127.0.0.1" {
		t.Errorf("%+v", a)
	}
	// Another server has the port: nothing is tried in its place.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	w, _ = seen(t, "-orchestrator", "-transcoder", "-serviceAddr", l.Addr().String(), "-httpAddr", l.Addr().String())
	if a := get(t, w.Address); a.Reached {
		t.Errorf("%+v", a)
	}
}

func TestCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, _ := seen(t, "-dataDir", dir)
	if c := get(t, w.Cert); !c.To.IsZero() || len(c.Findings) != 0 {
		t.Errorf("none yet: %+v", c)
	}
	if _, err := tlscert.Open(tlscert.Options{Dir: dir, Host: "h", Now: time.Now, Rand: rand.Reader,
		Log: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	w, _ = seen(t, "-dataDir", dir)
	if c := get(t, w.Cert); c.Own || c.To.IsZero() {
		t.Errorf("%+v", c)
	}
	bad := write(t, dir+"/bad.pem", "no certificate", 0o600)
	w, _ = seen(t, "-orchestrator", "-transcoder", "-tlsCert", bad, "-tlsKey", bad)
	if c := get(t, w.Cert); !c.Own || !has(c.Findings, fault.CertificateUnusable) {
		t.Errorf("%+v", c)
	}
}

func TestPeers(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	t.Cleanup(s.Close)
	closed := "127.0.0.1:" + strconv.Itoa(freePort(t))
	w, _ := seen(t, "-transcoder", "-orchAddr", strings.TrimPrefix(s.URL, "https://")+","+closed, "-orchSecret",
		"a-long-enough-secret")
	p := get(t, w.Peers)
	if len(p) != 2 || p[0].Err != nil || p[1].Err == nil || !strings.Contains(p[1].Err.Error(), "refused") {
		t.Errorf("%+v", p)
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"-orchestrator", "-transcoder", "-network", "devnet", "-ethUrl", "http://127.0.0.1:1",
		"-pricePerUnit", "1", "-dataDir", dir}
	w, _ := seen(t, args...)
	if a := get(t, w.Account); !has(a.Findings, fault.AccountMissing) {
		t.Errorf("%+v", a)
	}
	keys := account.Open(dir+"/keystore", account.Light)
	entry, err := keys.Create(core.NewSecret("right"), rand.Reader, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	w, _ = seen(t, args...)
	if a := get(t, w.Account); !has(a.Findings, fault.AccountPasswordMissing) || a.Address != entry.Address.String() {
		t.Errorf("%+v", a)
	}
	w, _ = seen(t, append(args, "-ethPassword", write(t, dir+"/wrong", "wrong", 0o600))...)
	if a := get(t, w.Account); !has(a.Findings, fault.AccountPassword) || a.Opened {
		t.Errorf("%+v", a)
	}
	right := append(args, "-ethPassword", write(t, dir+"/right", "right", 0o600))
	if err := os.Chmod(entry.Path, 0o644); err != nil {
		t.Fatal(err)
	}
	w, _ = seen(t, right...)
	a := get(t, w.Account)
	if !has(a.Findings, fault.AccountFileOpen) || a.Repair == nil || a.Repair.Run(t.Context()) != nil {
		t.Fatalf("%+v", a)
	}
	w, _ = seen(t, right...)
	if a = get(t, w.Account); !a.Opened || len(a.Findings) != 0 {
		t.Errorf("%+v", a)
	}
}

func TestChainEndpoints(t *testing.T) {
	t.Parallel()
	layerOne := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID json.RawMessage `json:"id"`
		}
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &in)
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(in.ID) + `,"result":"0x1"}`))
	}))
	t.Cleanup(layerOne.Close)
	closed := "http://127.0.0.1:" + strconv.Itoa(freePort(t)) + "/v3/geheim"
	args := []string{"-orchestrator", "-transcoder", "-network", "arbitrum-one-mainnet", "-pricePerUnit", "1",
		"-dataDir", t.TempDir(), "-ethUrl"}
	w, _ := seen(t, append(args, closed)...)
	c := get(t, w.Chain)
	if c.Known || !has(c.Findings, fault.ChainUnavailable) || len(c.Endpoints) != 1 {
		t.Errorf("%+v", c)
	}
	if text, _ := json.Marshal(c); strings.Contains(string(text), "geheim") {
		t.Errorf("the key is shown: %s", text)
	}
	w, _ = seen(t, append(args, layerOne.URL)...)
	if c = get(t, w.Chain); !has(c.Findings, fault.RPCLayerOne) && !has(c.Findings, fault.RPCWrongChain) {
		t.Errorf("%+v", c)
	}
	if n := paysFor(core.NewWei(0), core.NewWei(1), 1); n != 0 {
		t.Errorf("nothing pays %d", n)
	}
	if n := paysFor(core.NewWei(1e18), core.NewWei(1e9), 500_000); n != 1000 {
		t.Errorf("an ETH pays %d transactions", n)
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	args := []string{"-orchestrator", "-transcoder", "-network", "arbitrum-one-mainnet", "-ethUrl", "http://127.0.0.1:1",
		"-dataDir", t.TempDir(), "-pricePerUnit"}
	for price, want := range map[string]fault.Code{"1200": "", "2000000": fault.PriceImplausible,
		"50000000000000000": fault.PriceOutOfRange} {
		w, _ := seen(t, append(args, price)...)
		p := get(t, w.Prices)
		if want == "" && len(p.Findings) != 0 || want != "" && !has(p.Findings, want) {
			t.Errorf("%s: %+v", price, p)
		}
	}
	w, _ := seen(t, append(args, "0")...)
	if p := get(t, w.Prices); !p.Free {
		t.Errorf("%+v", p)
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/health":
			_, _ = w.Write([]byte(`{"status":"OK"}`))
		case "/v1/models":
			_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"meta-llama/Meta-Llama-3.1-8B-Instruct","object":"model"}]}`))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(up.Close)
	closed := "http://127.0.0.1:" + strconv.Itoa(freePort(t))
	file := write(t, t.TempDir()+"/aiModels.json", `[
		{"pipeline":"llm","model_id":"meta-llama/Meta-Llama-3.1-8B-Instruct","warm":true,"url":"`+up.URL+`"},
		{"pipeline":"text-to-image","model_id":"SG161222/RealVisXL_V4.0_Lightning","url":"`+closed+`"},
		{"pipeline":"llm","model_id":"nobody/nothing","url":"`+closed+`"}]`, 0o600)
	w, _ := seen(t, "-orchestrator", "-aiWorker", "-aiModels", file, "-dataDir", t.TempDir())
	m := get(t, w.Models)
	if m.Entries != 2 || m.Refused != 1 || !has(m.Findings, fault.ModelUnverified) || m.Managed || len(m.Servers) != 2 {
		t.Fatalf("%+v", m)
	}
	for _, s := range m.Servers {
		if down := strings.HasPrefix(s.Address, "SG"); down != (s.Err != nil) {
			t.Errorf("%s: %v", s.Address, s.Err)
		}
	}
	w, _ = seen(t, "-orchestrator", "-aiWorker", "-dataDir", t.TempDir())
	if m = get(t, w.Models); !has(m.Findings, fault.NoModels) {
		t.Errorf("%+v", m)
	}
}

func TestDockerThatIsNotThere(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix://"+t.TempDir()+"/none.sock")
	w, _ := seen(t)
	d := get(t, w.Docker)
	if d.Version != "" || !has(d.Findings, fault.DockerMissing) {
		t.Errorf("%+v", d)
	}
}
