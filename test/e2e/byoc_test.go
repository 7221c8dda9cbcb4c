package e2e

import (
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/byoc"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// gatewayOf is a client with a member's key.
func gatewayOf(t *testing.T, m *member, uri string) *byoc.Client {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(m.dir, "keystore", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	key, err := keystore.DecryptKey(data, "open sesame")
	if err != nil {
		t.Fatal(err)
	}
	return &byoc.Client{T: t, URI: uri, HTTP: harness.Client(), Key: key.PrivateKey}
}

// paidCapability is a chain, an orchestrator with an external capability that has a price, and a gateway with money.
func paidCapability(t *testing.T, args ...string) (*member, *byoc.Client, *byoc.Capability) {
	t.Helper()
	cli, err := harness.BuildTool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const l1 = 250 * time.Millisecond
	chain := devnet.Start(t, devnet.Options{BlockTime: l1, L1BlockTime: l1, RoundLength: 900,
		Args: []string{"-initializeRounds"}})
	orchestrator := newMember(t, chain, cli, "-orchestrator", "-orchSecret", byoc.Secret, "-pricePerUnit", "1000")
	orchestrator.args = append(append(orchestrator.args, "-serviceAddr", orchestrator.front), args...)
	gateway := newMember(t, chain, cli, "-gateway", "-orchAddr", orchestrator.front)
	if err := chain.Control.FundLPT(t.Context(), common.Address(orchestrator.account), core.LPTTokens(1000)); err != nil {
		t.Fatal(err)
	}
	orchestrator.start()
	gateway.start()
	orchestrator.run("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000",
		"--service-uri", "https://"+orchestrator.front, "--price-per-unit", "1000")
	gateway.run("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	orchestrator.awaitActive()
	c, worker := gatewayOf(t, gateway, "https://"+orchestrator.front), byoc.NewCapability(t)
	if a := c.Register(byoc.Secret, "demo", worker.URL, 2, 1_000_000_000); a.Status != http.StatusOK {
		t.Fatal(a)
	}
	orchestrator.Wait("the gateway's deposit", time.Minute, func() bool {
		_, a := c.Token("demo")
		return a.Status == http.StatusOK
	})
	return orchestrator, c, worker
}

// An external capability registers and is paid for requests, events and a stream; books and gateway agree to the wei,
// and neither a forged nor a replayed job costs the gateway anything.
func TestAnExternalCapabilityIsPaid(t *testing.T) {
	orchestrator, c, worker := paidCapability(t)
	job := byoc.Job{ID: "j", Request: `{"run":"x"}`, Parameters: "{}", Capability: "demo", Timeout: 30}
	send := func(c *byoc.Client, path, payment string, j byoc.Job) byoc.Answer {
		headers := []string{"Livepeer", c.Header(j), "Content-Type", "application/json"}
		if payment != "" {
			headers = append(headers, "Livepeer-Payment", payment)
		}
		return c.Send("POST", path, `{"in":1}`, headers...)
	}
	payment := c.Paid("demo", 300)
	a := send(c, "/process/request/run/deep", payment, job)
	if a.Status != http.StatusOK || !strings.Contains(a.Body, "/run/deep") {
		t.Fatal(a)
	}
	reported := a.Header.Get("Livepeer-Balance")
	if a := send(c, "/process/request/run", payment, job); a.Status != http.StatusBadRequest {
		t.Error("a payment again: ", a)
	}
	forged := job
	forged.Sig = "0x" + strings.Repeat("11", 65)
	if a := send(c, "/process/request/run", "", forged); a.Status != http.StatusBadRequest {
		t.Error("a forged signature: ", a)
	}
	transport := harness.Client().Transport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).DialContext
	defer transport.CloseIdleConnections()
	stranger := *c
	stranger.HTTP = &http.Client{Transport: transport}
	if a := send(&stranger, "/process/request/run", "", job); a.Status != http.StatusBadRequest {
		t.Error("a replay from another address: ", a)
	}
	if token, _ := c.Token("demo"); strconv.FormatInt(token.Balance, 10) != reported {
		t.Errorf("%d are left, not %s", token.Balance, reported)
	}
	if a := send(c, "/process/request/sse", "", job); a.Status != http.StatusOK ||
		!strings.HasSuffix(a.Body, "data: [DONE]\n\n") || !strings.Contains(a.Body, `data: {"balance": `) {
		t.Error(a)
	}
	capabilityStream(t, c, worker, send)
	token, _ := c.Token("demo")
	orchestrator.Wait("books that agree to the wei", 20*time.Second, func() bool {
		total := fetched[adminapi.Income](t, orchestrator.admin, adminapi.PathIncome).Total
		return wei(t, total.Received, total.Billed).Big().Cmp(big.NewInt(token.Balance)) == 0
	})
	operatedCapability(t, orchestrator, c)
}

// operatedCapability looks at the capability as its operator does: what it earned is what the books have, and it gets
// no work when it was removed.
func operatedCapability(t *testing.T, orchestrator *member, c *byoc.Client) {
	t.Helper()
	billed := fetched[adminapi.Income](t, orchestrator.admin, adminapi.PathIncome).Total.Billed
	all := fetched[adminapi.Capabilities](t, orchestrator.admin, adminapi.PathCapabilities).Capabilities
	if len(all) != 1 || all[0].Name != "demo" || all[0].State != adminapi.CapabilityReady || all[0].Jobs != 3 ||
		all[0].Seconds < 3 || all[0].Earned.Cmp(wei(t, billed, "0")) != 0 || all[0].Price != "1000000000" ||
		all[0].Capacity != 2 {
		t.Errorf("%+v, billed %s", all, billed)
	}
	orchestrator.run("capabilities", "remove", "demo")
	if token, a := c.Token("demo"); a.Status != http.StatusOK || token.Available != 0 {
		t.Error("a capability that was removed:", token, a)
	}
	all = fetched[adminapi.Capabilities](t, orchestrator.admin, adminapi.PathCapabilities).Capabilities
	if len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// capabilityStream runs a stream whose channels both sides use.
func capabilityStream(t *testing.T, c *byoc.Client, worker *byoc.Capability,
	send func(c *byoc.Client, path, payment string, j byoc.Job) byoc.Answer) {
	t.Helper()
	a := send(c, "/ai/stream/start", "", byoc.Job{ID: "s1", Request: "{}", Capability: "demo", Timeout: 30,
		Parameters: `{"enable_video_ingress":true,"enable_video_egress":true,"enable_data_output":true}`})
	if a.Status != http.StatusOK {
		t.Fatal(a)
	}
	at := func(name string) string { return strings.TrimPrefix(a.Header.Get(name), c.URI) }
	seen := worker.Seen()
	if body := seen[len(seen)-1].Body; !strings.Contains(body, `"subscribe_url":"`+a.Header.Get("X-Publish-Url")+`"`) {
		t.Error(body)
	}
	for _, name := range []string{"X-Publish-Url", "X-Subscribe-Url", "X-Data-Url", "X-Control-Url", "X-Events-Url"} {
		if w := c.Send("POST", at(name)+"/0", name); w.Status != http.StatusOK {
			t.Error(name, w)
		}
		if r := c.Send("GET", at(name)+"/0", ""); r.Body != name {
			t.Error(name, r)
		}
	}
	call := byoc.Job{ID: "c", Request: `{"stream_id":"s1"}`, Capability: "demo", Timeout: 30}
	for _, path := range []string{"payment", "update", "stop"} {
		payment := ""
		if path == "payment" {
			payment = c.Paid("demo", 60)
		}
		if a := send(c, "/ai/stream/"+path, payment, call); a.Status != http.StatusOK {
			t.Error(path, a)
		}
	}
	if r := c.Send("GET", at("X-Publish-Url")+"/next", ""); r.Status != http.StatusNotFound {
		t.Error("a channel of a stream that ended: ", r)
	}
}
