package money

import (
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/rpc"
)

// at is the same gateway, or one that has copied what it signs, at another address of this machine.
func (p *payer) at(ip string) *payer {
	transport := &http.Transport{DialContext: from(net.ParseIP(ip)).DialContext,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	p.T.Cleanup(transport.CloseIdleConnections)
	other := *p
	other.client = &http.Client{Transport: transport, Timeout: 30 * time.Second}
	return &other
}

// TestCopiedCredentialsDrawNoBalance: an orchestrator that works for a gateway knows what it signs with
// its requests and jobs, which is the same everywhere. With that it gets a token in the gateway's name,
// and nothing of the gateway's balance. The gateway itself goes on, also under new tokens or at a new
// address, and pays once more where both are new.
func TestCopiedCredentialsDrawNoBalance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.newPayer(5)
	p.served(1)
	paid := p.offer(wants(capability.LLM))
	if status, text := p.ask(paid, p.pay(paid, 100), "Count.", 3); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	draws := func(p *payer, info *rpc.OrchestratorInfo) (int, string) {
		return p.ask(info, p.pay(info, 0), "Count.", 3)
	}
	thief := p.at("127.0.0.2")
	for range 3 {
		info := p.offer(wants(capability.LLM))
		if status, text := draws(thief, info); status == http.StatusOK || !strings.Contains(text, "Insufficient balance") {
			t.Errorf("with copied credentials: %d %.200s", status, text)
		}
	}
	fresh := p.offer(wants(capability.LLM))
	for name, own := range map[string]struct {
		p    *payer
		info *rpc.OrchestratorInfo
	}{"as before": {p, paid}, "with a new token": {p, fresh}, "at a new address": {p.at("127.0.0.3"), paid}} {
		if status, text := draws(own.p, own.info); status != http.StatusOK {
			t.Errorf("%s: %d %.200s", name, status, text)
		}
	}
	// An orchestrator that hands on parameters gets tickets for this one. They are worth what they are.
	info := p.offer(wants(capability.LLM))
	if status, text := thief.ask(info, p.pay(info, 1), "Count.", 3); status != http.StatusOK {
		t.Errorf("with a ticket: %d %.200s", status, text)
	}
	for n := range 100 {
		status, text := draws(thief, info)
		if status != http.StatusOK {
			break
		}
		if n == 99 {
			t.Errorf("a ticket draws the balance: %.200s", text)
		}
	}
	if status, text := draws(p, paid); status != http.StatusOK {
		t.Errorf("the gateway's balance was drawn: %d %.200s", status, text)
	}
	moved := p.at("127.0.0.4")
	if status, text := moved.ask(fresh, moved.pay(fresh, 4), "Count.", 3); status != http.StatusOK {
		t.Errorf("with tickets: %d %.200s", status, text)
	}
	if status, text := draws(moved, fresh); status != http.StatusOK {
		t.Errorf("after tickets: %d %.200s", status, text)
	}
	// Over a start the sessions of before are known, and addresses are not.
	w.stop()
	w.start()
	info = p.offer(wants(capability.LLM))
	if status, text := draws(p.at("127.0.0.5"), info); status == http.StatusOK {
		t.Errorf("with copied credentials after a start: %d %.200s", status, text)
	}
	if status, text := draws(p, fresh); status != http.StatusOK {
		t.Errorf("in a session of before the start: %d %.200s", status, text)
	}
}
